import { openSync, writeSync } from "node:fs"
import { toAgenticService } from "@x/agentic-service"
import { toMessage } from "@x/base"
import { createMcpAdapter, type Logger, logCalls, type McpAdapter } from "@x/mcp-adapter"
import { CliError, expectOptions, invalidUsage } from "./cli-error.js"
import type { CommandLine, CommandSite } from "./command/command-line.js"
import { COMPLETE } from "./command/options.js"
import { readCommandLine } from "./command/read-command-line.js"
import { outputFault, print, printMessage, toJsonText, toLine, withoutSecrets } from "./display.js"
import { findAction } from "./names/find-member.js"
import { exitWith, finish, stayAlive } from "./process-life.js"
import { type ModeSite, RUN_RULES, type RunOptions } from "./run-options.js"

/**
 * Runs a service as a command: its actions by name, with their fields as flags, and the modes `--mcp`, `--http`, `--describe`,
 * `--watch` and `--completion`. `--help` lists them.
 *
 * @param argv - The command line, as in `process.argv`: the first two words are skipped.
 * @returns The exit code if `exit` is `false`: 0, 1 if an action failed or a resource is unavailable, or 2 if the command line
 * or standard input is invalid. Otherwise the process ends with it.
 * @throws ServiceError if `service` is no recognized kind of service.
 * @throws CliError `invalid_definition` for an unknown or invalid option.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { runService } from "@x/service-cli"
 *
 * const tea = createAgenticService({
 *   name: "tea",
 *   actions: { pour: action({ description: "Pour", output: { type: "integer" }, execute: () => 1 }) },
 * })
 * // In a program: process.argv, and no options.
 * console.log(await runService(tea, ["node", "tea.js", "pour"], { exit: false })) // 1, and then its exit code, 0
 * ```
 */
export async function runService(service: object, argv: readonly string[], options: RunOptions = {}): Promise<number> {
  expectOptions("runService", options, RUN_RULES)
  const { name, version = "0.0.0", exit = true, onExit } = options
  const letGo = stayAlive()
  const adapter = createMcpAdapter(service, { ...options.adapter, version, ...(name !== undefined && { name }) })
  const { view, release } = adapter.core.open(undefined)
  const args = argv.slice(2)
  // A server answers at once, however long the service takes to start. Its lists wait for that themselves.
  const code = await (isServing(args) ? Promise.resolve() : view.ready())
    .then(() => run({ adapter, view, command: toCommand(service, { adapter, view, options }), options }, args))
    .catch((error: unknown) => tellError(adapter.name, error))
  release()
  adapter.close()
  await finish(onExit)
  letGo()
  // Only now is it known whether all output was written.
  await print("")
  const told = tellOutputFault(adapter.name, code)
  return exit ? exitWith(told) : told
}

/** Whether a command line selects a mode that serves. A word before the flag would name an action. */
function isServing([first = "", ...others]: readonly string[]): boolean {
  return first.startsWith("-") && [first, ...others].some((word) => word === "--mcp" || /^--http(=|$)/.test(word))
}

/** Fails a command whose output could not be written, whatever its action did. */
function tellOutputFault(name: string, code: number): number {
  const fault = outputFault()
  if (fault === undefined) return code
  printMessage(name, toLine(`standard output cannot be written: ${fault}`))
  return code === 0 ? 1 : code
}

/** Returns the context for parsing a command line. */
function toCommand(service: object, { adapter, view, options }: Omit<ModeSite, "command" | "told">): CommandSite {
  const { tools } = view.snapshot()
  return {
    name: adapter.name,
    version: adapter.version,
    description: options.description ?? toAgenticService(service).description ?? "",
    tools,
    settings: options.settings,
    primary: options.primary === undefined ? undefined : findAction(view, options.primary),
    find: (word) => findAction(view, word),
  }
}

// Modes are imported on demand: the MCP SDK alone takes longer to load than most actions to run.

async function run(untold: Omit<ModeSite, "told">, args: readonly string[]): Promise<number> {
  const told = new Set<string>()
  const site = { ...untold, told }
  if (args[0] === COMPLETE) return (await import("./describe.js")).complete(site, args.slice(1))
  const line = readCommandLine(args, site.command)
  const log = "log" in line ? line.log : undefined
  if (log !== undefined) keepLog(site.adapter, log)
  if (log !== "-") tellDiagnostics(site, (id) => told.add(id))
  if ("given" in line) await site.options.configure?.(line.given)
  return runMode(site, line)
}

async function runMode(site: ModeSite, line: CommandLine): Promise<number> {
  switch (line.mode) {
    case "done":
      return 0
    case "call":
      return (await import("./call-action.js")).callAction(site, line)
    case "mcp":
      return (await import("./process-life.js")).serveMcp(site)
    case "http":
      return (await import("./process-life.js")).serveHttp(site, line.address)
    case "describe":
      return (await import("./describe.js")).describe(site)
    case "watch":
      return (await import("./process-life.js")).watchStates(site, line.state)
    case "completion":
      return (await import("./describe.js")).printCompletion(site, line.shell)
  }
}

/** Prints any error as one line. Failures of actions arrive as outcomes, with an id instead. */
function tellError(name: string, error: unknown): number {
  const { code, message } = CliError.from(error)
  printMessage(name, toLine(message))
  return code === "invalid_usage" || code === "invalid_config" ? 2 : 1
}

/**
 * Logs each call and each diagnostic as a line of JSON until the adapter is closed. An action's thrown error is part of its
 * call's line.
 *
 * @param target - A file to append to, or `-` for standard error. A new file is readable by its owner only.
 * @throws CliError `invalid_usage` if the file cannot be written.
 */
function keepLog(adapter: McpAdapter, target: string): void {
  const write = toWriter(target)
  const causes = createCauses(write)
  adapter.events.subscribe((event) => {
    if (event.type === "call-settled" && !event.outcome.ok) causes.failed(event.id, event.outcome.message)
  })
  const log =
    (level: string) =>
    (fields: object, message: string): void => {
      const line = { time: new Date().toISOString(), level, ...fields, message }
      if ("err" in fields && "code" in fields && fields.code === "action_failed") causes.hold(line)
      else write(toJsonText("call" in fields ? { ...line, ...causes.of(String(fields.call)) } : line))
    }
  const logger: Logger = { info: log("info"), warn: log("warn"), error: log("error") }
  logCalls(adapter, logger)
}

/** The errors that actions threw, kept until their calls are logged. */
interface Causes {
  /** Keeps the line of a cause for its call's line. Writes it alone if that does not follow soon. */
  hold(line: LoggedCause): void
  /** Matches a failed call with its cause by the id in its message. */
  failed(call: string, message: string): void
  /** Returns the cause for a call's line. */
  of(call: string): { readonly err?: unknown }
}

/** A log line about a thrown error. */
interface LoggedCause {
  readonly message: string
  readonly err?: unknown
}

function createCauses(write: (line: string) => void): Causes {
  const held = new Map<string, LoggedCause>()
  const byCall = new Map<string, LoggedCause>()
  const flush = (): void => {
    for (const line of held.values()) write(toJsonText(line))
    held.clear()
  }
  process.once("exit", flush)
  return {
    hold(line) {
      held.set(idOf(line.message), line)
      setTimeout(flush, MOMENT).unref()
    },
    failed(call, message) {
      const line = held.get(idOf(message))
      held.delete(idOf(message))
      if (line !== undefined) byCall.set(call, line)
    },
    of(call) {
      const line = byCall.get(call)
      byCall.delete(call)
      return line === undefined ? {} : { err: line.err }
    },
  }
}

/** How long a cause waits for its call's line, in milliseconds. */
const MOMENT = 50

/** Returns the id in brackets that a failure and its cause share. */
function idOf(message: string): string {
  return /\(([^()]+)\)$/.exec(message)?.[1] ?? message
}

/** Prints diagnostics with their causes: the person at the command is also the operator. */
function tellDiagnostics({ adapter, command }: Omit<ModeSite, "told">, onTold: (id: string) => void): void {
  adapter.events.subscribe((event) => {
    if (event.type !== "diagnostic") return
    const { code, message, cause } = event.diagnostic
    const why = cause === undefined ? "" : `: ${toMessage(cause)}`
    printMessage(command.name, toLine(`${message}${why} (${code})`))
    onTold(idOf(message))
  })
}

/** Writes synchronously, so that nothing is lost however the process ends. */
function toWriter(target: string): (line: string) => void {
  if (target === "-") return (line) => void process.stderr.write(`${withoutSecrets(line)}\n`)
  try {
    const file = openSync(target, "a", 0o600)
    return (line) => void writeSync(file, `${withoutSecrets(line)}\n`)
  } catch (cause) {
    const why = toMessage(cause)
    throw invalidUsage(`flag "--log" is "${target}", which cannot be written: ${why}`, cause)
  }
}
