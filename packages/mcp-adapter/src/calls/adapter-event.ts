import type { Outcome, Principal } from "@x/agentic-service"
import { Observable, Subject } from "rxjs"
import type { Diff } from "../catalogue/diff.js"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import type { Arguments, ClientInfo, Leg, TraceContext } from "./call-context.js"

/**
 * Everything that happens in an adapter, for logs, metrics and health; in-process only, never sent. Events of all views come
 * in one stream: each that is of one view carries that view's identity as `view`, see `View.id`. Whoever shows events to
 * anybody but the operator compares it, and drops those of other views.
 */
export type AdapterEvent =
  | ChangedEvent
  | CallStartedEvent
  | CallAskedEvent
  | CallStuckEvent
  | CallSettledEvent
  | CallCaughtUpEvent
  | CallLateEvent
  | DiagnosticEvent

/** What is on offer has changed, or the value of a state has. */
export interface ChangedEvent {
  /** Tells the events apart. */
  readonly type: "changed"
  /**
   * What differs from the change before. Worked out when it is first read: a state counts as changed when its value is
   * another than when a diff was last read.
   */
  readonly diff: Diff
  /** The catalogue's revision after the change. */
  readonly revision: number
  /**
   * The identity of the view that has changed, see `View.id`. Absent where `allow` shows several views parts of one service:
   * the diff then has all of the service, and a view's part of it are the entries that it finds by name, URI or path.
   */
  readonly view?: string
  /** Whose view it is, where each principal has a service of its own. */
  readonly principal?: Principal
}

/**
 * A known action, or a tool of the adapter's own such as `get_state`, was called. A {@link CallSettledEvent} or
 * {@link CallAskedEvent} with the same id always follows. A call by `run_action` is told under the action's name, once.
 */
export interface CallStartedEvent extends CallSubject {
  /** Tells the events apart. */
  readonly type: "call-started"
  /** The arguments as they came, unchecked; a log decides what of them it may show. */
  readonly args: Arguments
}

/** A call went back to its client, because a person has to be asked first. It comes again, under another id, with the answer. */
export interface CallAskedEvent extends CallSubject {
  /** Tells the events apart. */
  readonly type: "call-asked"
  /** The arguments as they came; see {@link CallStartedEvent.args}. */
  readonly args: Arguments
  /** Milliseconds between the start and the question. */
  readonly duration: number
}

/** An action was told to stop and did not: its call is about to be answered without it, and it goes on. */
export interface CallStuckEvent extends CallSubject {
  /** Tells the events apart. */
  readonly type: "call-stuck"
  /** What was called. */
  readonly entry: ToolEntry
}

/** A stuck action has ended after all; what came of it is dropped, its call having been answered. */
export interface CallLateEvent extends CallSubject {
  /** Tells the events apart. */
  readonly type: "call-late"
  /** What was called. */
  readonly entry: ToolEntry
}

/** A call has its outcome. */
export interface CallSettledEvent extends CallSubject {
  /** Tells the events apart. */
  readonly type: "call-settled"
  /** What was called, with its path and key; absent for a tool of the adapter's own, and when it was not available. */
  readonly entry?: ToolEntry
  /** The arguments as they came; see {@link CallStartedEvent.args}. */
  readonly args: Arguments
  /** What came of it, as it is answered. */
  readonly outcome: Outcome
  /** Milliseconds between the start and the outcome. */
  readonly duration: number
}

/**
 * The answer of a settled call tells its client what changed since the call began. Comes after its {@link CallSettledEvent},
 * where an answer tells anything; a call without a protocol has none.
 */
export interface CallCaughtUpEvent extends CallSubject {
  /** Tells the events apart. */
  readonly type: "call-caught-up"
  /** The net changes since the call began, as its client may know of them, whatever caused them. */
  readonly diff: Diff
}

/** Something an operator should know. */
export interface DiagnosticEvent {
  /** Tells the events apart. */
  readonly type: "diagnostic"
  /**
   * The identity of the view that it concerns, see `View.id`; absent where it concerns no single view, such as a limit of
   * the server.
   */
  readonly view?: string
  /** The call that it came of; see {@link CallSubject.id}. */
  readonly call?: string
  /** What it is. */
  readonly diagnostic: Diagnostic
}

/** Which call an event is about. */
export interface CallSubject {
  /** Names the call in logs; a failure that hides its cause names it too. */
  readonly id: string
  /** The tool name the caller used: listed, alias or former. */
  readonly name: string
  /** The identity of the view that the call is made in; see `View.id`. */
  readonly view: string
  /** What limits count by; see `CallContext.client`. */
  readonly client: string
  /** What the client says it is, for logs and to be shown; see `CallContext.info`. */
  readonly info?: ClientInfo
  /** Who calls, where the binding knows. */
  readonly principal?: Principal
  /** How the caller is connected. */
  readonly leg: Leg
  /** Where the call belongs in a distributed trace, where the caller says so. */
  readonly trace?: TraceContext
}

/** Takes events; never throws. */
export type Emit = (event: AdapterEvent) => void

/** The one stream of what happens in an adapter. */
interface Events {
  /** Adds an event. */
  readonly emit: Emit
  /**
   * The stream; hot, but the first listener is told as well which diagnostics came before anybody could listen. What else
   * happened is not kept: calls hold what callers send, changes hold services.
   */
  readonly observable: Observable<AdapterEvent>
  /** Ends the stream. */
  complete(): void
}

/** How many diagnostics are kept for the first listener, and how many are printed while there is none. */
const UNHEARD = 100

/**
 * Makes a stream in which nothing has happened yet. Diagnostics that nobody listens to are printed, once each.
 *
 * @param onListened - Told that somebody begins to listen.
 */
export function createEvents(onListened: () => void): Events {
  const subject = new Subject<AdapterEvent>()
  const print = createPrint()
  let backlog: AdapterEvent[] | undefined = []
  return {
    emit(event) {
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

/** Prints diagnostics on a host with a console; over stdio Node's `console.warn` is standard error. */
function createPrint(): (diagnostic: Diagnostic) => void {
  const printed = new Set<string>()
  return ({ code, message, path = [], key, cause }) => {
    const place = [code, ...path, ...(key === undefined ? [] : [key])].join(" / ")
    const told = `${message}${toReason(message, cause)} (${place})`
    if (printed.has(told) || printed.size >= UNHEARD) return
    printed.add(told)
    // biome-ignore lint/suspicious/noConsole: a fault that nobody hears of is never mended; who listens to `events` has it instead
    globalThis.console?.warn(`@x/mcp-adapter: ${told}`)
  }
}

/** Whether a text has another in it, not merely as a part of a word. */
function says(text: string, part: string): boolean {
  const at = text.lastIndexOf(part)
  const beside = [text[at - 1], text[at + part.length]]
  return at >= 0 && !beside.some((character) => character !== undefined && /\w/.test(character))
}

/** What was thrown, and what lies behind it, where the message does not say it: first lines, since a stack is for a log. */
function toReason(message: string, cause: unknown): string {
  let reason = ""
  let before = message
  let thrown = cause
  for (let depth = 0; thrown !== undefined && depth < MAX_CAUSES; depth += 1) {
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    const [line = ""] = (thrown instanceof Error ? `${thrown.name}: ${text}` : text).split("\n")
    if (line !== "" && !says(before, text)) reason += `: ${line}`
    before = text
    thrown = thrown instanceof Error ? thrown.cause : undefined
  }
  return reason
}

/** Deeper than that, nobody reads. */
const MAX_CAUSES = 4
