import type { Outcome } from "@x/agentic-service"
import type { Arguments } from "../../calls/active-call.js"
import type { CallContext } from "../../calls/call-context.js"
import type { ToolDefinition } from "../../catalogue/entry.js"
import type { View } from "../../catalogue/view.js"
import type { Clock } from "../../runtime/clock.js"
import type { Ledger } from "../../runtime/ledger.js"

/** A tool of our own: constant in every list, answered from the view and so filtered as the view is. */
export interface BuiltIn {
  /** What clients are told; frozen. */
  readonly definition: ToolDefinition
  /**
   * The action that a call with these arguments is a call of, so that it is told under that name; absent where it is none.
   * The view is ready.
   */
  target?(args: Arguments, view: View): ActionCall | undefined
  /** Answers one call that is no call of an action, as an action would; the view is ready. */
  run(args: Arguments, site: BuiltInSite): Outcome | Promise<Outcome>
}

/** A call of an action by way of a tool of our own. */
export interface ActionCall {
  /** The action's tool name. */
  readonly name: string
  /** Its arguments. */
  readonly args: Arguments
  /** The token of an earlier answer that asked for a confirmation. */
  readonly confirm?: string
}

/** Where a built-in runs. */
export interface BuiltInSite {
  /** What the caller may see. */
  readonly view: View
  /** Who calls. */
  readonly context: CallContext
  /** Time. */
  readonly clock: Clock
  /** Counts what is held. */
  readonly ledger: Ledger
}
