import type { ExecuteContext } from "../service.js"

/** The context of a call that nobody watches: it is never aborted, its progress goes nowhere. */
export const idleContext: ExecuteContext = {
  signal: new AbortController().signal,
  progress: () => {},
  answers: {},
}
