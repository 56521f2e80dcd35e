import { toCacheable } from "./cacheable.js"
import { takePage } from "./cursor.js"
import type { HandlerOptions } from "./handler-options.js"
import type { Handler } from "./handlers.js"

/** Answers resources/list: the states visible now, sorted by URI. */
export function createListResources({ view, pageSize, shared }: HandlerOptions): Handler {
  return async (params, context) => {
    await view.ready
    const { states } = view.snapshot()
    const { items, ...next } = takePage(states, {
      keyOf: (state) => state.uri,
      cursor: params["cursor"],
      size: pageSize,
    })
    return toCacheable({ resources: items.map((state) => state.definition), ...next }, context, shared)
  }
}
