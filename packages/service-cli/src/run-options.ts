import type { McpAdapter, McpAdapterOptions } from "@x/mcp-adapter"
import type { View } from "@x/mcp-adapter/binding"
import type { HttpOptions } from "@x/mcp-adapter/http"
import type { StdioOptions } from "@x/mcp-adapter/stdio"
import type { OptionRule } from "@x/tool-schemas/json"
import type { CommandSite } from "./command/command-line.js"
import type { GivenSettings } from "./command/options.js"

/** How a service is run as a command; everything has a default. */
export interface RunOptions {
  /** What the command is called, and the server. Default: the service's name. */
  readonly name?: string
  /** What `--version` prints, and the server says. Default `0.0.0`. */
  readonly version?: string
  /** What `--help` says it is for. Default: the service's description. */
  readonly description?: string
  /** The tool name of the action that runs when none is named. Default: none does. */
  readonly primary?: string
  /** Whether `--mcp` and `--http` serve it; otherwise they are invalid usage. Default `true`. */
  readonly mcpSupported?: boolean
  /** The settings that `--set` takes, by name, with what each is for. Default: neither `--set` nor `--config` is a flag. */
  readonly settings?: Readonly<Record<string, string>>
  /**
   * Takes what `--config` and `--set` say, before a call, a server or a watch begins. What it throws is told, with exit code 2
   * where it is a {@link CliError} of code `invalid_config`.
   */
  readonly configure?: (given: GivenSettings) => void | Promise<void>
  /** How the adapter sees the service, whichever way it is used: limits, names, questions. */
  readonly adapter?: Omit<McpAdapterOptions, "name" | "version">
  /** How `--mcp` serves. */
  readonly stdio?: Omit<StdioOptions, "exit" | "onExit">
  /** How `--http` serves. Its `host` and `port` are those of a `--http` that names none. */
  readonly http?: Omit<HttpOptions, "exit" | "onExit">
  /** The most bytes that are read from standard input as arguments; more is invalid usage. Default 4 MiB. */
  readonly maxInputBytes?: number
  /**
   * Whether the process is the command's own: it ends with the exit code, whatever the application still holds. Default
   * `true`; with `false` the exit code is only returned.
   */
  readonly exit?: boolean
  /** Runs before a server or a watch begins; a command that cannot start says so and exits with code 1. */
  readonly onStart?: () => void | Promise<void>
  /** Runs once, when all is done; the exit waits for it, for 5,000 milliseconds at most. */
  readonly onExit?: () => void | Promise<void>
}

/** What each option may be; those of the adapter and the bindings are checked there. */
export const RUN_RULES: Record<keyof RunOptions, OptionRule> = {
  name: "text",
  version: "text",
  description: "text",
  primary: "text",
  mcpSupported: "flag",
  settings: "object",
  configure: "function",
  adapter: "object",
  stdio: "object",
  http: "object",
  maxInputBytes: { from: 0, whole: true },
  exit: "flag",
  onStart: "function",
  onExit: "function",
}

/** What a mode works on. */
export interface ModeSite {
  /** The service, ready to be served. */
  readonly adapter: McpAdapter
  /** What everybody sees of it. */
  readonly view: View
  /** The command. */
  readonly command: CommandSite
  /** How it is run. */
  readonly options: RunOptions
  /** The failures whose causes the person has been told, by the ids in their messages. */
  readonly told: ReadonlySet<string>
}
