import type { ClientRequest, Outcome, Questions } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import type { View } from "../views/view.js"
import type { CallSubject, Emit } from "./adapter-event.js"
import type { Arguments, CallContext } from "./call-context.js"
import type { Task, TaskEnd } from "./tasks/task.js"

/** A call on its way through the stages. */
export interface ActiveCall {
  /** The view in which names are looked up. */
  readonly view: View
  /** The identity of the call. */
  readonly subject: CallSubject
  /** The arguments as received. */
  readonly args: Arguments
  /** The chosen target, if the view has several. */
  readonly target?: string
  /** Whether only a read-only action may run. */
  readonly onlyReads?: true
  /** The parameter that named the item, if the call was one of a tool that stands for several items. */
  readonly item?: string
  /** Returns an action's name as the caller's list has it. Default: its own. */
  readonly nameOf?: (entry: ToolEntry) => string
  /** The caller, including ways to reach it. */
  readonly context: CallContext
  /** The caller's abort: the same as {@link CallContext.signal}, without the cost of creating that. */
  readonly stop: Abortable
  /** Emits events to the operator. */
  readonly emit: Emit
  /** The start of the call, on the monotonic clock. */
  readonly startedAt: number
  /** Chooses how the call is handed over if its action is long. Absent if its caller waits for the end. */
  readonly handOver?: ((context: CallContext) => HandOver) | undefined
}

/** The answer of a call. */
export type CallAnswer = SettledCall | HandedCall | AskedCall | IncapableCall | UnknownCall

/** The answer of a call that has an outcome, good or bad. */
export interface SettledCall {
  /** The discriminant. */
  readonly kind: "settled"
  /** The action's outcome, or the failure of an earlier check. */
  readonly outcome: Outcome
  /** The called entry. Absent when the action was unavailable. */
  readonly entry?: ToolEntry
  /** The view's revision at the start of the call, for {@link View.diffSince}. */
  readonly revision: number
}

/** The answer of a call whose action continues as a task, because it takes longer than the caller waits. */
export interface HandedCall {
  /** The discriminant. */
  readonly kind: "handed"
  /** The task at the time of the answer. */
  readonly task: Task
  /** The called entry. */
  readonly entry: ToolEntry
  /** The view's revision at the start of the call; see {@link SettledCall.revision}. */
  readonly revision?: number
  /** Resolves when the action has ended. */
  readonly ended: Promise<unknown>
}

/** How a call is handed over if its action is long. */
export interface HandOver {
  /** Milliseconds after the call's start. With 0 it is handed over before it runs. */
  readonly afterMs: number
  /** Converts the end of the call to what its caller receives. */
  readonly finish: (ending: SettledCall) => Promise<TaskEnd>
  /** Whether the end is to be announced in an answer to a later call, because the caller does not ask for it by itself. */
  readonly announced: boolean
}

/** The answer of a call that a person must confirm first. The client calls again with the answers, and the action runs then. */
export interface AskedCall {
  /** The discriminant. */
  readonly kind: "asked"
  /** The questions by key. Their answers arrive as {@link CallContext.inputResponses}, under the same keys. */
  readonly questions: Questions
  /** Requests to the client itself, by key; only those that it declared. Their results arrive as the answers do. */
  readonly requests?: Readonly<Record<string, ClientRequest>>
  /** The state that the client returns unchanged as {@link CallContext.requestState}. */
  readonly state: string
}

/** The answer of a call that a person must confirm, if the client has not declared that it can ask. */
export interface IncapableCall {
  /** The discriminant. */
  readonly kind: "incapable"
  /** The missing client capabilities, in MCP's shape. */
  readonly required: Readonly<Record<"elicitation", Readonly<Record<string, never>>>>
}

/** The end of a known name's call. */
export type Ending = Omit<SettledCall, "revision"> | HandedCall | AskedCall | IncapableCall

/** The answer of a call whose name never existed, or is hidden from the caller. */
export interface UnknownCall {
  /** The discriminant. */
  readonly kind: "unknown"
  /** The name in the call. */
  readonly name: string
}

/** The reasons to stop a running action. */
export type StopCause = "caller" | "timeout" | "idle" | "hidden" | "closing"

/** A running action, or a pending check, that can be stopped. */
export interface Stoppable {
  /** Tells an action to stop within the grace period, and abandons a check. Only the first cause counts. */
  stop(cause: StopCause): void
}

/** The registry of unanswered calls. */
export interface OpenCalls {
  /** Whether actions may no longer start. */
  closed(): boolean
  /**
   * Registers a call.
   *
   * @returns A function that registers its answer; call it exactly once.
   */
  begin(): () => void
  /**
   * Registers a running action, which `close` stops.
   *
   * @returns A function that registers its end.
   */
  running(run: Stoppable): () => void
  /**
   * Tells every running action to stop, and lets no more start. Only the first call counts.
   *
   * @param idle - Runs once every call is answered; immediately if no call is open.
   */
  close(idle: () => void): void
}
