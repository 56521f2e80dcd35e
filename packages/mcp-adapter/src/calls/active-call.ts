import type { Outcome, Questions } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import type { View } from "../views/view.js"
import type { CallSubject, Emit } from "./adapter-event.js"
import type { Arguments, CallContext } from "./call-context.js"

/** One call on its way through the stages. */
export interface ActiveCall {
  /** Where names are looked up. */
  readonly view: View
  /** Which call it is. */
  readonly subject: CallSubject
  /** The arguments as they came. */
  readonly args: Arguments
  /** The target that the view shows, where one was chosen. */
  readonly target?: string
  /** Whether only an action that changes nothing may be run. */
  readonly onlyReads?: true
  /** Who calls, and how to reach them. */
  readonly context: CallContext
  /** Aborts when the caller gives it up: {@link CallContext.signal}, which is not made for it. */
  readonly stop: Abortable
  /** Tells an operator. */
  readonly emit: Emit
}

/** What comes of a call. */
export type CallAnswer = SettledCall | AskedCall | IncapableCall | UnknownCall

/** The name is known, and the call has an outcome, good or bad. */
export interface SettledCall {
  /** Tells the answers apart. */
  readonly kind: "settled"
  /** What the action, or a check before it, answered. */
  readonly outcome: Outcome
  /** The entry that was called; absent when the action was not available. */
  readonly entry?: ToolEntry
  /** The view's revision when the call began: what changed since can be read with {@link View.diffSince}. */
  readonly revision: number
}

/** A person has to be asked first. The call is made again with the answers, and runs then. */
export interface AskedCall {
  /** Tells the answers apart. */
  readonly kind: "asked"
  /** What to ask, by key. The answers come as {@link CallContext.inputResponses}, under the same keys. */
  readonly questions: Questions
  /** To be handed back unchanged as {@link CallContext.requestState}. */
  readonly state: string
}

/** A person would have to be asked, and the client has not said for this request that it can. */
export interface IncapableCall {
  /** Tells the answers apart. */
  readonly kind: "incapable"
  /** The client capabilities that are missing, in MCP's shape. */
  readonly required: Readonly<Record<"elicitation", Readonly<Record<string, never>>>>
}

/** What a call of a known name comes to. */
export type Ending = Omit<SettledCall, "revision"> | AskedCall | IncapableCall

/** The name never existed, or the caller may not know that it does. */
export interface UnknownCall {
  /** Tells the answers apart. */
  readonly kind: "unknown"
  /** The name as the caller gave it. */
  readonly name: string
}

/** Why a running action is told to stop. */
export type StopCause = "caller" | "timeout" | "idle" | "hidden" | "closing"

/** Something that runs and can be told to stop. */
export interface Stoppable {
  /** Tells it to stop; it has the grace to do so. Only the first cause counts. */
  stop(cause: StopCause): void
}

/** The calls that are not answered yet, and whether there may be more. */
export interface OpenCalls {
  /** Whether no further action may run. */
  closed(): boolean
  /**
   * Notes a call.
   *
   * @returns Notes its answer; to be called exactly once.
   */
  begin(): () => void
  /**
   * Notes a running action, to be told to stop when all are.
   *
   * @returns Notes its end.
   */
  running(run: Stoppable): () => void
  /**
   * Tells every running action to stop, and lets no further one run; only the first time counts.
   *
   * @param idle - Runs once every call is answered; at once where none is open.
   */
  close(idle: () => void): void
}
