import type { Handler } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"

/** Answers states/count: the number of visible states. */
export function createCountStates({ view }: HandlerOptions): Handler {
  return async () => {
    await view.ready()
    return { count: view.snapshot().states.length }
  }
}
