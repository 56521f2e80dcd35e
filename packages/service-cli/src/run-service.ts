import { toAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { CliError } from "./cli-error.js"
import type { CommandLine } from "./command/command-line.js"
import type { CommandSite } from "./command/command-site.js"
import { COMPLETE } from "./command/options.js"
import { readCommandLine } from "./command/read-command-line.js"
import { exitWith, finish } from "./finish.js"
import { keepLog, tellDiagnostics } from "./log/call-log.js"
import type { ModeSite } from "./modes/mode-site.js"
import { findAction } from "./names/find-action.js"
import type { RunOptions } from "./run-options.js"
import { tell, toLine } from "./terminal/write.js"

/**
 * Makes a service, own or foreign, a command: its actions by name, with their fields as flags, and the modes `--mcp`,
 * `--http`, `--describe`, `--watch` and `--completion`. `--help` tells of them.
 *
 * @param argv - The command line as `process.argv` has it: what comes before the arguments is skipped.
 * @returns The exit code, where `exit` is `false`: 0, 1 when an action failed or something cannot be had, or 2 when the
 * command line, or what was piped in, is not what is expected. Otherwise the process ends with it.
 * @throws ServiceError when `service` is not recognised as a service.
 */
export async function runService(service: object, argv: readonly string[], options: RunOptions = {}): Promise<number> {
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
  if (args[0] === COMPLETE) return (await import("./modes/complete.js")).complete(site, args.slice(1))
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
      return (await import("./modes/serve-mcp.js")).serveMcp(site)
    case "http":
      return (await import("./modes/serve-http.js")).serveHttp(site, line.address)
    case "describe":
      return (await import("./modes/describe.js")).describe(site)
    case "watch":
      return (await import("./modes/watch-states.js")).watchStates(site, line.state)
    case "completion":
      return (await import("./modes/complete.js")).printCompletion(site, line.shell)
  }
}

/** Whatever it is, it is a line: what went wrong in an action is told by its outcome, with an id. */
function tellError(name: string, error: unknown): number {
  tell(name, toLine(error instanceof Error ? error.message : String(error)))
  return error instanceof CliError && error.code === "invalid_usage" ? 2 : 1
}
