import type { JsonSchema } from "@x/tool-schemas"

/** What an action gets beside its input. */
export interface ExecuteContext {
  /** Aborts when the caller has lost interest. An action never starts once it is aborted. */
  readonly signal: AbortSignal
  /** Reports how far the work has come; ignored where nobody listens. Never throws. */
  progress(progress: Progress): void
  /** That nobody hears of progress, so that what costs something to report need not be asked for. */
  readonly unheard?: true
  /** Who calls, where the binding knows. */
  readonly principal?: Principal
  /**
   * The identity of what the caller found under the service's name, as `thingOf` gives it. A service that is held elsewhere
   * answers `changed` and runs nothing where it stands for another by now. Default: whatever it stands for when it runs.
   */
  readonly thing?: string
  /** What the person answered to {@link Action.ask}, by question key; empty without questions. */
  readonly answers: Answers
  /**
   * That a person has accepted what {@link Action.confirm} asks, and that `answers` are theirs. An action with questions is
   * refused without it, so that no caller runs one by mistake.
   */
  readonly confirmed?: true
  /**
   * What the caller sent along about the call: keys of its own, and where it belongs in a trace (`traceparent`, `tracestate`,
   * `baggage`). A stranger may send anything.
   */
  readonly meta?: Readonly<Record<string, unknown>>
  /**
   * Tells the caller's client something as a log message; absent where none can be reached. It arrives where the server
   * announces `logging` and the client wants messages of this level. Never throws.
   *
   * @param logger - Names the part of the application that speaks.
   */
  log?(level: LogLevel, data: unknown, logger?: string): void
}

/** How much a log message matters, from the least (RFC 5424). */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"

/** How far an action has come. */
export interface Progress {
  /** Work done so far; must grow with each report. */
  readonly progress: number
  /** All the work there is, where known. */
  readonly total?: number
  /** What is happening, for people. A caller that hears less often than is reported gets the newest. */
  readonly message?: string
  /**
   * The next piece of a text that grows, such as a model's answer. No piece is ever left out: a caller that hears less often
   * than is reported gets the pieces since it last heard as one, in order. Sent as the message; `message` itself is not.
   */
  readonly text?: string
}

/** Who calls: whatever identifies a tenant, user or client to the application. */
export interface Principal {
  /** Tells one principal from another; equal ids are the same principal. */
  readonly id: string
  /** What the principal may do, in the words of its token. */
  readonly scopes?: readonly string[]
  /** Anything else the application's own check attached. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** Questions to a person, by key. */
export type Questions = Readonly<Record<string, Question>>

/** One question to a person. */
export interface Question {
  /** The question as the person reads it. */
  readonly message: string
  /** JSON Schema of the answer: a flat object of primitives, as MCP elicitation allows. */
  readonly schema: JsonSchema
}

/** Answers by question key. */
export type Answers = Readonly<Record<string, unknown>>

/** The context of a call that nobody watches: it is never aborted, its progress goes nowhere. Keeps nothing of whoever uses it. */
export const idleContext: ExecuteContext = {
  // Made when it is first asked for: a worker may make none while it is loaded.
  get signal() {
    idleSignal ??= createIdleSignal()
    return idleSignal
  },
  progress: () => {},
  answers: {},
}

let idleSignal: AbortSignal | undefined

/** All such calls share it, and nothing will ever be told to its listeners. */
function createIdleSignal(): AbortSignal {
  return Object.assign(new AbortController().signal, { addEventListener() {}, removeEventListener() {} })
}
