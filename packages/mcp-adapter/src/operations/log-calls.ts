import type { Outcome } from "@x/agentic-service"
import { jsonSize, shortHash } from "@x/base"
import type {
  AdapterEvent,
  CallAskedEvent,
  CallHandedEvent,
  CallSettledEvent,
  CallSubject,
} from "../calls/adapter-event.js"
import { type Arguments, type Leg, traceIdOf } from "../calls/call-context.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { formatPath } from "../names/path.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { type Observed, observe, type Watcher } from "./observe.js"

/** A logger: one of pino, or any object with these methods. */
export interface Logger {
  /** Logs a normal event. */
  info(fields: object, message: string): void
  /** Logs a problem with a known reason. */
  warn(fields: object, message: string): void
  /** Logs a fault that somebody has to look into. */
  error(fields: object, message: string): void
}

/** Options of {@link logCalls}. */
export interface LogCallsOptions {
  /**
   * Whether arguments are logged. `true` logs them unchanged, for a logger that redacts them itself; a function returns what to
   * log, from the arguments and the tool's name. Default `false`: only their size is logged.
   */
  readonly arguments?: boolean | ((args: Arguments, tool: string) => unknown)
}

/**
 * Logs a line for each answered call and each diagnostic, until it is closed or the adapter is. Lines contain no arguments,
 * results, failure messages or tokens, unless the options allow it; a diagnostic includes the stack of its cause, which is
 * whatever the application threw. Errors thrown by the logger are dropped. Over stdio, log to stderr.
 *
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter, logCalls } from "@x/mcp-adapter"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const log = (fields: object, message: string) => console.error(message, fields)
 * logCalls(adapter, { info: log, warn: log, error: log }) // or a logger of pino
 * await adapter.call("greet") // call answered { call: '…', tool: 'greet', … }
 * adapter.close()
 * ```
 */
export function logCalls(adapter: Observed, logger: Logger, options: LogCallsOptions = {}): Watcher {
  const close = observe(adapter, (event: AdapterEvent) => {
    const line = toLogLine(event, options)
    if (line !== undefined) logger[line.level](line.fields, line.message)
  })
  return { close }
}

/** One log line, without a time. */
interface LogLine {
  /** The level. */
  readonly level: keyof Logger
  /** The fields; JSON omits `undefined` ones. */
  readonly fields: object
  /** A short message, the same for all events of a kind. */
  readonly message: string
}

/** Returns the log line of an event; `undefined` if a later event covers it, or no call is involved. */
function toLogLine(event: AdapterEvent, options: LogCallsOptions): LogLine | undefined {
  switch (event.type) {
    case "changed":
    case "call-started":
    case "call-caught-up":
      return undefined
    case "call-asked":
      return { level: "info", fields: toFields(event, options, { outcome: "asked" }), message: "call asks a person" }
    case "call-handed":
      return {
        level: "info",
        fields: toFields(event, options, { outcome: "handed" }),
        message: "call goes on as a task",
      }
    case "call-settled":
      return toSettled(event, options)
    case "call-stuck":
      return { level: "warn", fields: toSubject(event, event.entry), message: "action does not stop" }
    case "call-late":
      return { level: "info", fields: toSubject(event, event.entry), message: "stuck action ended" }
    case "diagnostic":
      return toDiagnostic(event.diagnostic)
  }
}

function toSettled(event: CallSettledEvent, options: LogCallsOptions): LogLine {
  const { outcome } = event
  const result = { outcome: outcome.ok ? "ok" : (outcome.code ?? "failed"), resultSize: sizeOf(outcome) }
  const fields = toFields(event, options, result)
  return outcome.ok
    ? { level: "info", fields, message: "call answered" }
    : { level: "warn", fields, message: "call failed" }
}

function toFields(
  event: CallSettledEvent | CallHandedEvent | CallAskedEvent,
  options: LogCallsOptions,
  result: { readonly outcome: string; readonly resultSize?: number | undefined },
): object {
  return {
    call: event.id,
    ...toSubject(event, "entry" in event ? event.entry : undefined),
    duration: Math.round(event.duration * 10) / 10,
    argumentsSize: jsonSize(event.args),
    ...result,
    ...toArguments(event, options),
  }
}

function toArguments(
  { args, name }: CallSettledEvent | CallHandedEvent | CallAskedEvent,
  options: LogCallsOptions,
): object {
  const { arguments: shown = false } = options
  if (shown === false) return {}
  if (shown === true) return { arguments: args }
  try {
    return { arguments: shown(args, name) }
  } catch {
    // The line is still logged, but never with unredacted arguments.
    return { arguments: "(not redacted: the function threw)" }
  }
}

function toSubject(subject: CallSubject, entry: ToolEntry | undefined): object {
  const { id, name, principal, leg, trace } = subject
  return {
    call: id,
    tool: name,
    ...(entry && { path: formatPath(entry.path), key: entry.key }),
    principal: principal?.id,
    client: toClientLabel(subject),
    transport: leg.transport,
    era: leg.era,
    traceId: traceIdOf(trace),
  }
}

/**
 * Returns a client's label for logs and pages. Without a principal the label is a hash of the session id, because the id alone
 * lets anybody use the session.
 *
 * @example
 * ```ts
 * import { toClientLabel } from "@x/mcp-adapter/binding"
 *
 * const leg = { transport: "http", era: "legacy", notices: true } as const
 * console.log(toClientLabel({ client: "ada", principal: { id: "ada" }, leg })) // ada
 * console.log(toClientLabel({ client: "5d1c-session-id", leg })) // a hash: 0qujjsero
 * ```
 */
export function toClientLabel({ client, principal, leg }: LabelledClient): string {
  const session = principal === undefined && leg.transport === "http" && leg.era === "legacy" && leg.notices
  return session ? shortHash([client]) : client
}

/** The principal of a labelled client. */
export interface LabelledPrincipal {
  /** The principal's id. */
  readonly id: string
}

/** Any client, from a call or the ledger. */
export interface LabelledClient {
  /** The key that limits count by. */
  readonly client: string
  /** The principal, if known. */
  readonly principal?: LabelledPrincipal
  /** The client's transport and era. */
  readonly leg: Leg
}

/** Returns the size of a successful result; `undefined` for a failure. */
function sizeOf(outcome: Outcome): number | undefined {
  if (!outcome.ok) return undefined
  const { value, content = [] } = outcome
  return content.length === 0 ? jsonSize(value) : jsonSize([value, ...content])
}

function toDiagnostic({ code, message, path, key, cause }: Diagnostic): LogLine {
  return {
    level: cause === undefined ? "warn" : "error",
    fields: { code, path: path && formatPath(path), key, err: cause === undefined ? undefined : toLoggedError(cause) },
    message,
  }
}

/** The logged parts of a thrown value: name, message and stack, without other properties. */
interface LoggedError {
  /** The error's name, or the type of another value. */
  readonly type: string
  /** The error's message. */
  readonly message: string
  /** The error's stack, followed by those of its causes; absent for other values. */
  readonly stack?: string
}

/**
 * Converts a thrown value for logs. Errors often carry requests with their headers, so only name, message and stack are kept.
 */
export function toLoggedError(thrown: unknown): LoggedError {
  try {
    if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) }
    return { type: thrown.name, message: thrown.message, stack: stacksOf(thrown).join("\ncaused by: ") }
  } catch {
    return { type: typeof thrown, message: "(reading the value threw)" }
  }
}

function stacksOf(error: Error): readonly string[] {
  const stacks: string[] = []
  let next: unknown = error
  while (next instanceof Error && stacks.length < MAX_CAUSES) {
    stacks.push(next.stack ?? String(next))
    next = next.cause
  }
  return stacks
}

/** Causes may be circular. */
const MAX_CAUSES = 5
