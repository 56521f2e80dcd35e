import { openSync, writeSync } from "node:fs"
import { toAgenticService } from "@x/agentic-service"
import { createMcpAdapter, type Logger, logCalls, type McpAdapter } from "@x/mcp-adapter"
import { CliError, expectOptions, invalidUsage } from "./cli-error.js"
import type { CommandLine, CommandSite } from "./command/command-line.js"
import { COMPLETE } from "./command/options.js"
import { readCommandLine } from "./command/read-command-line.js"
import { outputFault, print, tell, toJsonText, toLine, withoutSecrets } from "./display.js"
import { findAction } from "./names/find-member.js"
import { exitWith, finish, stayAlive } from "./process-life.js"
import { type ModeSite, RUN_RULES, type RunOptions } from "./run-options.js"

/**
 * Makes a service, own or foreign, a command: its actions by name, with their fields as flags, and the modes `--mcp`,
 * `--http`, `--describe`, `--watch` and `--completion`. `--help` tells of them.
 *
 * @param argv - The command line as `process.argv` has it: what comes before the arguments is skipped.
 * @returns The exit code, where `exit` is `false`: 0, 1 when an action failed or something cannot be had, or 2 when the
 * command line, or what was piped in, is not what is expected. Otherwise the process ends with it.
 * @throws ServiceError when `service` is not recognised as a service.
 * @throws CliError `invalid_definition` for an option that is none, or cannot be.
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
  // Who serves answers at once, however long what it serves takes to start; lists wait for that themselves.
  const code = await (isServing(args) ? Promise.resolve() : view.ready())
    .then(() => run({ adapter, view, command: toCommand(service, { adapter, view, options }), options }, args))
    .catch((error: unknown) => tellError(adapter.name, error))
  release()
  adapter.close()
  await finish(onExit)
  letGo()
  // Whether the last of what was printed got out is known after this.
  await print("")
  const told = tellOutputFault(adapter.name, code)
  return exit ? exitWith(told) : told
}

/** Whether a command line asks for one of the modes that serve; a word before that would be an action of its own. */
function isServing([first = "", ...others]: readonly string[]): boolean {
  return first.startsWith("-") && [first, ...others].some((word) => word === "--mcp" || /^--http(=|$)/.test(word))
}

/** A command whose answer could not be written has failed, whatever its action did. */
function tellOutputFault(name: string, code: number): number {
  const fault = outputFault()
  if (fault === undefined) return code
  tell(name, toLine(`standard output cannot be written: ${fault}`))
  return code === 0 ? 1 : code
}

/** What a command line is read against. */
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

// Each mode is loaded when it is asked for: the MCP SDK alone takes longer to load than most actions to run.

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

/** Whatever it is, it is a line: what went wrong in an action is told by its outcome, with an id. */
function tellError(name: string, error: unknown): number {
  const { code, message } = CliError.from(error)
  tell(name, toLine(message))
  return code === "invalid_usage" || code === "invalid_config" ? 2 : 1
}

/**
 * Notes each call, and what an operator should know, as a line of JSON, until the adapter is closed. What an action threw is
 * in the line of its call.
 *
 * @param target - A file, that is added to, or `-` for standard error. A new one is its owner's alone.
 * @throws CliError `invalid_usage` when the file cannot be written.
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

/** What actions threw, until the calls that they failed are noted. */
interface Causes {
  /** Keeps a line about a cause for the call's own; it is written where there is none in a moment. */
  hold(line: LoggedCause): void
  /** A call has failed with this message, which names its cause by id. */
  failed(call: string, message: string): void
  /** What a call's line has of its cause. */
  of(call: string): { readonly err?: unknown }
}

/** A line about what an action threw. */
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

/** How long a cause waits for the line of its call, in milliseconds. */
const MOMENT = 50

/** The id in brackets that a failure has in common with what is told of its cause. */
function idOf(message: string): string {
  return /\(([^()]+)\)$/.exec(message)?.[1] ?? message
}

/** Tells the person at the command what an operator should know: here it is the same, so causes are told, too. */
function tellDiagnostics({ adapter, command }: Omit<ModeSite, "told">, onTold: (id: string) => void): void {
  adapter.events.subscribe((event) => {
    if (event.type !== "diagnostic") return
    const { code, message, cause } = event.diagnostic
    const why = cause === undefined ? "" : `: ${cause instanceof Error ? cause.message : String(cause)}`
    tell(command.name, toLine(`${message}${why} (${code})`))
    onTold(idOf(message))
  })
}

/** Written at once, so that nothing is lost however the process ends. */
function toWriter(target: string): (line: string) => void {
  if (target === "-") return (line) => void process.stderr.write(`${withoutSecrets(line)}\n`)
  try {
    const file = openSync(target, "a", 0o600)
    return (line) => void writeSync(file, `${withoutSecrets(line)}\n`)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw invalidUsage(`flag "--log" is "${target}", which cannot be written: ${why}`, cause)
  }
}
