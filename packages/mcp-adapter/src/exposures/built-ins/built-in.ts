import type { Arguments } from "../../calls/active-call.js"
import type { CallAnswer } from "../../calls/call-answer.js"
import type { CallContext } from "../../calls/call-context.js"
import type { Call } from "../../calls/create-caller.js"
import type { ToolDefinition } from "../../catalogue/entry.js"
import type { View } from "../../catalogue/view.js"

/** A tool of our own: constant in every list, answered from the view and so filtered as the view is. */
export interface BuiltIn {
  /** What clients are told; frozen. */
  readonly definition: ToolDefinition
  /** Answers one call as an action would; never rejects. */
  run(args: Arguments, site: BuiltInSite): Promise<CallAnswer>
}

/** Where a built-in runs. */
export interface BuiltInSite {
  /** What the caller may see. */
  readonly view: View
  /** The one call path, in that view. */
  readonly call: Call
  /** Who calls. */
  readonly context: CallContext
}
