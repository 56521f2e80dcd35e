import { openSync, writeSync } from "node:fs"
import { type Logger, logCalls, type McpAdapter } from "@x/mcp-adapter"
import { invalidUsage } from "../cli-error.js"
import { tell, toLine } from "../terminal/write.js"

/**
 * Notes each call, and what an operator should know, as a line of JSON, until the adapter is closed.
 *
 * @param target - A file, that is added to, or `-` for standard error.
 * @throws CliError `invalid_usage` when the file cannot be written.
 */
export function keepLog(adapter: McpAdapter, target: string): void {
  const write = toWriter(target)
  const log =
    (level: string) =>
    (fields: object, message: string): void =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, ...fields, message })}\n`)
  const logger: Logger = { info: log("info"), warn: log("warn"), error: log("error") }
  logCalls(adapter, logger)
}

/** Tells the person at the command what an operator should know: here it is the same, so causes are told, too. */
export function tellDiagnostics(adapter: McpAdapter, name: string): void {
  adapter.events.subscribe((event) => {
    if (event.type !== "diagnostic") return
    const { code, message, cause } = event.diagnostic
    const why = cause instanceof Error ? `: ${cause.message}` : ""
    tell(name, toLine(`${message}${why} (${code})`))
  })
}

/** Written at once, so that nothing is lost however the process ends. */
function toWriter(target: string): (line: string) => void {
  if (target === "-") return (line) => void process.stderr.write(line)
  try {
    const file = openSync(target, "a")
    return (line) => void writeSync(file, line)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw invalidUsage(`flag "--log" is "${target}", which cannot be written: ${why}`, cause)
  }
}
