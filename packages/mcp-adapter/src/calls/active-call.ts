import type { View } from "../catalogue/view.js"
import type { CallSubject, Emit } from "./adapter-event.js"
import type { CallContext } from "./call-context.js"

/** One call on its way through the stages. */
export interface ActiveCall {
  /** Where names are looked up. */
  readonly view: View
  /** Which call it is. */
  readonly subject: CallSubject
  /** The arguments as they came. */
  readonly args: Arguments
  /** Who calls, and how to reach them. */
  readonly context: CallContext
  /** Tells an operator. */
  readonly emit: Emit
}

/** Arguments as clients send them: always an object. */
export type Arguments = Readonly<Record<string, unknown>>
