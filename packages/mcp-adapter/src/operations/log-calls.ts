import type { Arguments } from "../calls/active-call.js"
import type { AdapterEvent } from "../calls/adapter-event.js"
import { type Observed, observe, type Watcher } from "./observe.js"
import { toLogLine } from "./to-log-line.js"

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
