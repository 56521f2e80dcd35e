import type { ExecuteContext } from "../execute-context.js"

/** The context of a call that nobody watches: it is never aborted, its progress goes nowhere. */
export const idleContext: ExecuteContext = {
  signal: new AbortController().signal,
  progress: () => {},
  answers: {},
}
