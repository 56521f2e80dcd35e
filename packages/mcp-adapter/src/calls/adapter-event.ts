import type { Outcome, Principal, Questions } from "@x/agentic-service"
import { cleanLine, toMessage } from "@x/base"
import { Observable, Subject } from "rxjs"
import type { Diff } from "../catalogue/diff.js"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import type { Arguments, ClientInfo, Leg, TraceContext } from "./call-context.js"

/**
 * Every event of an adapter, for logs, metrics and health. In-process only, never sent. One stream carries the events of all
 * views; an event of one view has that view's identity as `view`, see `View.id`. If you show events to anyone but the operator,
 * compare it and drop events of other views.
 */
export type AdapterEvent =
  | ChangedEvent
  | CallStartedEvent
  | CallAskedEvent
  | CallHandedEvent
  | CallStuckEvent
  | CallSettledEvent
  | CallCaughtUpEvent
  | CallLateEvent
  | DiagnosticEvent

/** Signals changed tools, states or links, or a state's new value. */
export interface ChangedEvent {
  /** The discriminant. */
  readonly type: "changed"
  /**
   * The difference from the previous change, as far as the view sees it, computed when first read. A state counts as changed if
   * its value differs from when a diff of its service was last read.
   */
  readonly diff: Diff
  /** The catalogue's revision after the change. */
  readonly revision: number
  /**
   * The identity of the changed view, see `View.id`: if each principal has a service, each view that sees a change has an event,
   * even if several principals have the same service. Absent if the adapter's one service is shown in parts by `allow`: the diff
   * then covers the whole service, and a view's part of it is the entries that it resolves by name, URI or path.
   */
  readonly view?: string
  /** The principal of the view, if each principal has its own service. */
  readonly principal?: Principal
}

/**
 * Signals a call of a known action, or of an adapter's own tool such as `get_state`. A {@link CallSettledEvent} or
 * {@link CallAskedEvent} with the same id always follows. A call through `run_action` has one event, with the action's name.
 */
export interface CallStartedEvent extends CallSubject {
  /** The discriminant. */
  readonly type: "call-started"
  /** The arguments as received, unchecked. Each log chooses the arguments that it shows. */
  readonly args: Arguments
}

/** Signals a call answered by a question for a person. The client repeats the call with the answer, under another id. */
export interface CallAskedEvent extends CallSubject {
  /** The discriminant. */
  readonly type: "call-asked"
  /** The arguments as received; see {@link CallStartedEvent.args}. */
  readonly args: Arguments
  /**
   * The questions by key, as the client gets them. Their words may contain arguments. Absent if the client cannot ask a person, so
   * that the call is refused.
   */
  readonly questions?: Questions
  /** Milliseconds between the start and the question. */
  readonly duration: number
}

/**
 * Signals a call that is answered with a task, because its action takes longer than the caller waits. A {@link CallSettledEvent}
 * with the same id follows when the action ends.
 */
export interface CallHandedEvent extends CallSubject {
  /** The discriminant. */
  readonly type: "call-handed"
  /** The called entry. */
  readonly entry: ToolEntry
  /** The arguments as received; see {@link CallStartedEvent.args}. */
  readonly args: Arguments
  /** The task's id. Whoever knows it may read the result if the caller has no principal. */
  readonly task: string
  /** Milliseconds between the start and the answer. */
  readonly duration: number
}

/** The event of an action that did not stop when told to: its call is answered, and the action continues. */
export interface CallStuckEvent extends CallSubject {
  /** The discriminant. */
  readonly type: "call-stuck"
  /** The called entry. */
  readonly entry: ToolEntry
}

/** The event of a stuck action that has ended after all. Its result is dropped, because its call was answered. */
export interface CallLateEvent extends CallSubject {
  /** The discriminant. */
  readonly type: "call-late"
  /** The called entry. */
  readonly entry: ToolEntry
}

/** The event of a call's outcome. */
export interface CallSettledEvent extends CallSubject {
  /** The discriminant. */
  readonly type: "call-settled"
  /** The called entry, with its path and key. Absent for the adapter's own tools, and if the action was not available. */
  readonly entry?: ToolEntry
  /** The arguments as received; see {@link CallStartedEvent.args}. */
  readonly args: Arguments
  /** The outcome as it is answered. */
  readonly outcome: Outcome
  /** Milliseconds between the start and the outcome. */
  readonly duration: number
}

/**
 * The event of an answer that reports changes since its call began. Follows the {@link CallSettledEvent} if the answer reports
 * any change. A call without a protocol has no such event.
 */
export interface CallCaughtUpEvent extends CallSubject {
  /** The discriminant. */
  readonly type: "call-caught-up"
  /** The net changes since the call began that the client may see, whatever caused them. */
  readonly diff: Diff
}

/** Signals a diagnostic for the operator. */
export interface DiagnosticEvent {
  /** The discriminant. */
  readonly type: "diagnostic"
  /**
   * The identity of the affected view, see `View.id`. Absent if it concerns no single view, such as a limit of the server, or a
   * member of a service that several views share.
   */
  readonly view?: string
  /** The call that caused it; see {@link CallSubject.id}. */
  readonly call?: string
  /** The diagnostic. */
  readonly diagnostic: Diagnostic
}

/** Identity of an event's call. */
export interface CallSubject {
  /** The call's id in logs, and in failures that hide their cause. */
  readonly id: string
  /** The tool name that the caller used: current, alias or former. */
  readonly name: string
  /** The identity of the call's view; see `View.id`. */
  readonly view: string
  /** The client that limits are counted for; see `CallContext.client`. */
  readonly client: string
  /** The client's declared name and version, for logs and display; see `CallContext.info`. */
  readonly info?: ClientInfo
  /** The caller, when the binding knows it. */
  readonly principal?: Principal
  /** The caller's kind of connection. */
  readonly leg: Leg
  /** The call's place in a distributed trace, if the caller gives one. */
  readonly trace?: TraceContext
}

/** Emits an event. Never throws. */
export type Emit = (event: AdapterEvent) => void

/** The stream of an adapter's events. */
interface Events {
  /** Emits an event. */
  readonly emit: Emit
  /**
   * The stream. Hot, except that the first listener also gets the diagnostics emitted before it subscribed. Other events are
   * not kept, because they hold arguments and services.
   */
  readonly observable: Observable<AdapterEvent>
  /** Completes the stream. */
  complete(): void
}

/** The maximum of diagnostics kept for the first listener, and of those printed before it subscribes. */
const UNHEARD = 100

/**
 * Creates the event stream. Diagnostics without a listener are printed, once each.
 *
 * @param onListened - Called when a first listener subscribes.
 * @param note - Takes the events that may affect health, before the listeners get them.
 */
export function createEvents(onListened: () => void, note?: Emit): Events {
  const subject = new Subject<AdapterEvent>()
  const print = createPrint()
  let backlog: AdapterEvent[] | undefined = []
  return {
    emit(event) {
      if (isOfHealth(event)) note?.(event)
      if (event.type === "diagnostic" && !subject.observed) {
        if (backlog !== undefined && backlog.length < UNHEARD) backlog.push(event)
        print(event.diagnostic)
      }
      subject.next(event)
    },
    observable: new Observable((subscriber) => {
      const missed = backlog ?? []
      backlog = undefined
      if (!subject.observed) onListened()
      for (const event of missed) subscriber.next(event)
      return subject.subscribe(subscriber)
    }),
    complete: () => subject.complete(),
  }
}

/** Whether an event may affect health; most do not. */
function isOfHealth(event: AdapterEvent): boolean {
  if (event.type === "call-settled") return !event.outcome.ok
  return event.type !== "call-started" && event.type !== "changed"
}

/** Creates a printer of diagnostics for hosts with a console. Over stdio, Node's `console.warn` writes to standard error. */
function createPrint(): (diagnostic: Diagnostic) => void {
  const printed = new Set<string>()
  return ({ code, message, path = [], key, cause }) => {
    const place = [code, ...path, ...(key === undefined ? [] : [key])].join(" / ")
    const told = `${message}${toReason(message, cause)} (${place})`
    if (printed.has(told) || printed.size >= UNHEARD) return
    printed.add(told)
    // Names and causes may be another server's words: nothing of them may move a terminal's cursor or hide what is read.
    // biome-ignore lint/suspicious/noConsole: a fault that nobody hears of is never mended; who listens to `events` has it instead
    globalThis.console?.warn(`@x/mcp-adapter: ${cleanLine(told)}`)
  }
}

/** Checks whether a text contains another as whole words. */
function says(text: string, part: string): boolean {
  const at = text.lastIndexOf(part)
  const beside = [text[at - 1], text[at + part.length]]
  return at >= 0 && !beside.some((character) => character !== undefined && /\w/.test(character))
}

/**
 * Formats the thrown value and its causes as far as the message does not mention them. Only first lines, since stacks belong in
 * a log.
 */
function toReason(message: string, cause: unknown): string {
  let reason = ""
  let before = message
  let thrown = cause
  for (let depth = 0; thrown !== undefined && depth < MAX_CAUSES; depth += 1) {
    const text = toMessage(thrown)
    const [line = ""] = (thrown instanceof Error ? `${thrown.name}: ${text}` : text).split("\n")
    if (line !== "" && !says(before, text)) reason += `: ${line}`
    before = text
    thrown = thrown instanceof Error ? thrown.cause : undefined
  }
  return reason
}

/** The maximum depth of printed causes. */
const MAX_CAUSES = 4
