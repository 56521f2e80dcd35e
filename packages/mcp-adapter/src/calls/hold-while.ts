import type { Call } from "./create-caller.js"

/**
 * A call that holds something for as long as it runs.
 *
 * @param hold - Takes hold, and returns what lets go.
 */
export function holdWhile(call: Call, hold: () => () => void): Call {
  return (...args) => {
    const release = hold()
    return call(...args).finally(release)
  }
}
