import type { Outcome } from "@x/agentic-service"
import { jsonSize, shortHash } from "@x/tool-schemas/json"
import type { AdapterEvent, CallAskedEvent, CallSettledEvent, CallSubject } from "../calls/adapter-event.js"
import { traceIdOf } from "../calls/trace-context.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { formatPath } from "../names/path.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import type { LogCallsOptions, Logger } from "./log-calls.js"
import { toLoggedError } from "./to-logged-error.js"

/** One line, before a logger adds its time. */
export interface LogLine {
  /** How much it matters. */
  readonly level: keyof Logger
  /** What it says, as fields; those `undefined` are left out as JSON. */
  readonly fields: object
  /** What happened, in few words, the same for all of a kind. */
  readonly message: string
}

/** What a log says of an event; nothing where a later event says it, or where nobody called. */
export function toLogLine(event: AdapterEvent, options: LogCallsOptions): LogLine | undefined {
  switch (event.type) {
    case "changed":
    case "call-started":
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
    client: toClient(subject),
    transport: leg.transport,
    era: leg.era,
    traceId: traceIdOf(trace),
  }
}

/** Without a principal a session's id is all it takes to use the session, so a log has its hash. */
function toClient({ client, principal, leg }: CallSubject): string {
  const session = principal === undefined && leg.transport === "http" && leg.era === "legacy" && leg.notices
  return session ? shortHash([client]) : client
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
