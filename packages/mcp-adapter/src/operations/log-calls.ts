import type { Outcome } from "@x/agentic-service"
import { jsonSize, shortHash } from "@x/tool-schemas/json"
import type { AdapterEvent, CallAskedEvent, CallSettledEvent, CallSubject } from "../calls/adapter-event.js"
import { type Arguments, type Leg, traceIdOf } from "../calls/call-context.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { formatPath } from "../names/path.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { type Observed, observe, type Watcher } from "./observe.js"

/** Where lines go: a logger of pino, or anything of its shape. */
export interface Logger {
  /** What went as it should. */
  info(fields: object, message: string): void
  /** What did not, for a reason that is known. */
  warn(fields: object, message: string): void
  /** What somebody has to look into. */
  error(fields: object, message: string): void
}

/** What {@link logCalls} writes beyond what is always safe to write. */
export interface LogCallsOptions {
  /**
   * Whether arguments are logged: `true` as they are, for a logger that redacts them itself; or what a function makes of
   * them, called with the tool's name as well. Default `false`: only their size.
   */
  readonly arguments?: boolean | ((args: Arguments, tool: string) => unknown)
}

/**
 * Writes a line for each call, once it is answered, and for each diagnostic, until it is closed or the adapter is. No
 * argument, result, failure message or token is in a line, unless the options say so; a diagnostic has its cause's stack,
 * which is whatever the application threw. What the logger throws is dropped. Over stdio, have it write to stderr.
 */
export function logCalls(adapter: Observed, logger: Logger, options: LogCallsOptions = {}): Watcher {
  const close = observe(adapter, (event: AdapterEvent) => {
    const line = toLogLine(event, options)
    if (line !== undefined) logger[line.level](line.fields, line.message)
  })
  return { close }
}

/** One line, before a logger adds its time. */
interface LogLine {
  /** How much it matters. */
  readonly level: keyof Logger
  /** What it says, as fields; those `undefined` are left out as JSON. */
  readonly fields: object
  /** What happened, in few words, the same for all of a kind. */
  readonly message: string
}

/** What a log says of an event; nothing where a later event says it, or where nobody called. */
function toLogLine(event: AdapterEvent, options: LogCallsOptions): LogLine | undefined {
  switch (event.type) {
    case "changed":
    case "call-started":
    case "call-caught-up":
      return undefined
    case "call-asked":
      return { level: "info", fields: toFields(event, options, { outcome: "asked" }), message: "call asks a person" }
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
  event: CallSettledEvent | CallAskedEvent,
  options: LogCallsOptions,
  result: { readonly outcome: string; readonly resultSize?: number | undefined },
): object {
  return {
    call: event.id,
    ...toSubject(event, event.type === "call-settled" ? event.entry : undefined),
    duration: Math.round(event.duration * 10) / 10,
    argumentsSize: jsonSize(event.args),
    ...result,
    ...toArguments(event, options),
  }
}

function toArguments({ args, name }: CallSettledEvent | CallAskedEvent, options: LogCallsOptions): object {
  const { arguments: shown = false } = options
  if (shown === false) return {}
  if (shown === true) return { arguments: args }
  try {
    return { arguments: shown(args, name) }
  } catch {
    // The line matters more than the arguments, which must not get into it unredacted.
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
 * Names a client for logs and pages. Without a principal, the id of a session is all it takes to use the session, so it is
 * hashed.
 */
export function toClientLabel({ client, principal, leg }: LabelledClient): string {
  const session = principal === undefined && leg.transport === "http" && leg.era === "legacy" && leg.notices
  return session ? shortHash([client]) : client
}

/** Who a client is, as far as a label goes. */
export interface LabelledPrincipal {
  /** The principal's id. */
  readonly id: string
}

/** A client, as a call or the ledger tells of it. */
export interface LabelledClient {
  /** What limits count it by. */
  readonly client: string
  /** Who it is, where the binding knows. */
  readonly principal?: LabelledPrincipal
  /** How it is connected. */
  readonly leg: Leg
}

/** The size of what a successful call answers; a failure's is of no interest. */
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

/** What a log keeps of something thrown: what it is and where it came from, and nothing else that hangs on it. */
interface LoggedError {
  /** The error's name, or what it is when it is no error. */
  readonly type: string
  /** The error's message. */
  readonly message: string
  /** Its stack, with the stacks of its causes below; absent where there is none. */
  readonly stack?: string
}

/** Says what was thrown. Errors often carry requests with their headers, so only name, message and stack are taken. */
export function toLoggedError(thrown: unknown): LoggedError {
  try {
    if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) }
    return { type: thrown.name, message: thrown.message, stack: stacksOf(thrown).join("\ncaused by: ") }
  } catch {
    return { type: typeof thrown, message: "(reading it throws)" }
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

/** Causes may go round in a circle. */
const MAX_CAUSES = 5
