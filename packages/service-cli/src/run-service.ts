import { openSync, realpathSync, writeSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { toAgenticService } from "@x/agentic-service"
import { createMcpAdapter, type Logger, logCalls, type McpAdapter } from "@x/mcp-adapter"
import type { Agent } from "./agent/agent.js"
import { CliError, expectOptions, invalidUsage } from "./cli-error.js"
import { COMPLETE } from "./command/options.js"
import { type CommandLine, type CommandSite, readCommandLine } from "./command/read-command-line.js"
import { findAction } from "./names/find-member.js"
import { exitWith, finish } from "./process-life.js"
import { type ModeSite, RUN_RULES, type RunOptions } from "./run-options.js"
import { tell, toLine } from "./terminal/terminal.js"

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
  const adapter = createMcpAdapter(service, { ...options.adapter, version, ...(name !== undefined && { name }) })
  const { view, release } = adapter.core.open(undefined)
  const code = await view.ready
    .then(() => run({ adapter, view, command: toCommand(service, { adapter, view, options }), options }, argv.slice(2)))
    .catch((error: unknown) => tellError(adapter.name, error))
  release()
  adapter.close()
  await finish(onExit)
  return exit ? exitWith(code) : code
}

/** What a command line is read against. */
function toCommand(service: object, { adapter, view, options }: Omit<ModeSite, "command">): CommandSite {
  const { tools } = view.snapshot()
  return {
    name: adapter.name,
    version: adapter.version,
    description: options.description ?? toAgenticService(service).description ?? "",
    tools,
    primary: options.primary === undefined ? undefined : findAction(view, options.primary),
    find: (word) => findAction(view, word),
  }
}

// Each mode is loaded when it is asked for: the MCP SDK alone takes longer to load than most actions to run.

async function run(site: ModeSite, args: readonly string[]): Promise<number> {
  if (args[0] === COMPLETE) return (await import("./modes/describe.js")).complete(site, args.slice(1))
  const line = readCommandLine(args, site.command)
  const log = "log" in line ? line.log : undefined
  if (log !== undefined) keepLog(site.adapter, log)
  if (log !== "-") tellDiagnostics(site.adapter, site.command.name)
  return runMode(site, line)
}

async function runMode(site: ModeSite, line: CommandLine): Promise<number> {
  switch (line.mode) {
    case "done":
      return 0
    case "call":
      return (await import("./modes/call-action.js")).callAction(site, line)
    case "mcp":
      return (await import("./modes/serve.js")).serveMcp(site)
    case "http":
      return (await import("./modes/serve.js")).serveHttp(site, line.address)
    case "describe":
      return (await import("./modes/describe.js")).describe(site)
    case "watch":
      return (await import("./modes/serve.js")).watchStates(site, line.state)
    case "completion":
      return (await import("./modes/describe.js")).printCompletion(site, line.shell)
  }
}

/** Whatever it is, it is a line: what went wrong in an action is told by its outcome, with an id. */
function tellError(name: string, error: unknown): number {
  const { code, message } = CliError.from(error)
  tell(name, toLine(message))
  return code === "invalid_usage" ? 2 : 1
}

/** How an agent is run; what an agent says of itself cannot be changed here. */
export type RunAgentOptions = Omit<
  RunOptions,
  "name" | "version" | "description" | "primary" | "mcpSupported" | "onStart" | "onExit"
>

/**
 * Makes an agent a command, where its module is the program that was started; does nothing where it is imported. With no
 * action named, the agent itself runs. Its MCP server has its tools and nothing else, unless the options say otherwise.
 *
 * @param module - `import.meta` of the agent's file.
 * @throws CliError `invalid_definition` for an option that is none, or cannot be.
 * @example
 * ```ts
 * import { defineAgent, runAgent } from "@x/service-cli"
 *
 * const agent = defineAgent({ name: "echo", description: "Echoes", execute: ({ input }) => ({ result: input }) })
 * await runAgent(agent, import.meta) // node echo.js --context hello; node echo.js --mcp
 * ```
 */
export async function runAgent(
  agent: Agent,
  module: { readonly url: string },
  options: RunAgentOptions = {},
): Promise<void> {
  if (!isMain(module)) return
  const { name, version, description, primary, mcpSupported, start, stop } = agent
  const said = { name, version, primary, mcpSupported, ...(description !== undefined && { description }) }
  await runService(agent, process.argv, {
    ...options,
    ...said,
    stdio: { ...TOOLS_ONLY, ...options.stdio },
    http: { ...TOOLS_ONLY, ...options.http },
    onStart: start,
    onExit: stop,
  })
}

const TOOLS_ONLY = { states: "omit", runAction: false, listLinks: false } as const

/** Whether a module is the program that was started, also by a link to it, as those in `node_modules/.bin` are. */
function isMain({ url }: { readonly url: string }): boolean {
  const [, program] = process.argv
  if (program === undefined) return false
  try {
    return pathToFileURL(realpathSync(program)).href === url
  } catch {
    // Node takes a program without its extension, too.
    return [".js", ".mjs", ".ts"].some((extension) => pathToFileURL(`${program}${extension}`).href === url)
  }
}

/**
 * Notes each call, and what an operator should know, as a line of JSON, until the adapter is closed.
 *
 * @param target - A file, that is added to, or `-` for standard error.
 * @throws CliError `invalid_usage` when the file cannot be written.
 */
function keepLog(adapter: McpAdapter, target: string): void {
  const write = toWriter(target)
  const log =
    (level: string) =>
    (fields: object, message: string): void =>
      write(`${JSON.stringify({ time: new Date().toISOString(), level, ...fields, message })}\n`)
  const logger: Logger = { info: log("info"), warn: log("warn"), error: log("error") }
  logCalls(adapter, logger)
}

/** Tells the person at the command what an operator should know: here it is the same, so causes are told, too. */
function tellDiagnostics(adapter: McpAdapter, name: string): void {
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
