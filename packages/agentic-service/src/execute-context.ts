import type { JsonSchema } from "@x/tool-schemas"

/** The second parameter of an action's `execute`. */
export interface ExecuteContext {
  /** Aborts when the caller cancels. An action never starts once it is aborted. */
  readonly signal: AbortSignal
  /** Reports progress; ignored without a listener. Never throws. */
  progress(progress: Progress): void
  /** Whether nobody listens to progress, so that costly reports can be skipped. */
  readonly unheard?: true
  /**
   * Tells that the action takes long, so that a caller who takes tasks gets one at once. Absent unless the action is `long` and
   * its call can be handed over.
   */
  readonly takesLong?: () => void
  /** The caller, when the binding knows it. */
  readonly principal?: Principal
  /**
   * The identity of the instance that the caller found under the service's name, from `thingOf`. A remote service answers
   * `changed` and runs nothing if its instance was replaced. Default: the current instance when it runs.
   */
  readonly thing?: string
  /** The person's answers to {@link Action.ask}, by question key; empty without questions. */
  readonly answers: Answers
  /**
   * Whether a person has accepted the question of {@link Action.confirm} and given `answers`. Actions with questions require
   * it, so that no caller runs one by mistake.
   */
  readonly confirmed?: true
  /**
   * The caller's metadata of the call: its own keys, and its place in a trace (`traceparent`, `tracestate`, `baggage`). Callers
   * may send anything.
   */
  readonly meta?: Readonly<Record<string, unknown>>
  /**
   * The client capabilities with which a service can ask during the call: MCP's `elicitation`, `sampling` and `roots`, as
   * declared by the client. Also contains `extensions` if the caller takes tasks (`io.modelcontextprotocol/tasks`) or waits for
   * their end. Default: forms for the person.
   */
  readonly clientCapabilities?: Readonly<Record<string, unknown>>
  /**
   * Sends a log message to the caller's client. Absent if no client can be reached. It arrives if the server announces
   * `logging` and the client accepts this level. Never throws.
   *
   * @param logger - The application's component that logs.
   */
  log?(level: LogLevel, data: unknown, logger?: string): void
}

/** Severities of log messages, ascending (RFC 5424). */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"

/** Progress of an action. */
export interface Progress {
  /** The work done so far; must grow with each report. */
  readonly progress: number
  /** The total work, if known. */
  readonly total?: number
  /** A message for people. A caller that gets fewer reports gets the newest. */
  readonly message?: string
  /**
   * The next piece of a growing text, such as a model's answer. No piece is ever dropped: a caller that gets fewer reports gets
   * several pieces joined in order. Sent instead of `message`.
   */
  readonly text?: string
}

/** The caller: a tenant, user or client of the application. */
export interface Principal {
  /** The principal's identity; equal ids are the same principal. */
  readonly id: string
  /** The principal's scopes from its token. */
  readonly scopes?: readonly string[]
  /** Further data attached by the application's own check. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** Questions to a person, by key. */
export type Questions = Readonly<Record<string, Question>>

/** One question to a person. */
export interface Question {
  /** The question's text. */
  readonly message: string
  /** The answer's JSON Schema: a flat object of primitives, as MCP elicitation allows. */
  readonly schema: JsonSchema
}

/** Answers by question key. */
export type Answers = Readonly<Record<string, unknown>>

/** The context of a call that nobody watches: it never aborts and ignores progress. Its signal stores no listeners. */
export const idleContext: ExecuteContext = {
  // Created on first use, because a worker may not create signals while loading.
  get signal() {
    idleSignal ??= createIdleSignal()
    return idleSignal
  },
  progress: () => {},
  answers: {},
}

let idleSignal: AbortSignal | undefined

/** All such calls share this signal, so stored listeners would pile up. */
function createIdleSignal(): AbortSignal {
  return Object.assign(new AbortController().signal, { addEventListener() {}, removeEventListener() {} })
}
