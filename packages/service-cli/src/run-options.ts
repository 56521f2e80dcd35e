import type { OptionRule } from "@x/base"
import type { McpAdapter, McpAdapterOptions } from "@x/mcp-adapter"
import type { View } from "@x/mcp-adapter/binding"
import type { HttpOptions } from "@x/mcp-adapter/http"
import type { StdioOptions } from "@x/mcp-adapter/stdio"
import type { CommandSite } from "./command/command-line.js"
import type { GivenSettings } from "./command/options.js"

/** Options for running a service as a command; all have defaults. */
export interface RunOptions {
  /** Names the command and the server. Default: the service's name. */
  readonly name?: string
  /** The command's and server's version. Default `0.0.0`. */
  readonly version?: string
  /** The description in `--help`. Default: the service's description. */
  readonly description?: string
  /** The tool name of the default action. Default: none. */
  readonly primary?: string
  /** Whether `--mcp` and `--http` serve it; otherwise they are invalid usage. Default `true`. */
  readonly mcpSupported?: boolean
  /** The descriptions of settings that `--set` accepts, by name. Default: `--set` and `--config` are no flags. */
  readonly settings?: Readonly<Record<string, string>>
  /**
   * Receives `--config` and `--set` before a call, a server or a watch begins. Its error is printed; the exit code is 2 for a
   * {@link CliError} with the code `invalid_config`.
   */
  readonly configure?: (given: GivenSettings) => void | Promise<void>
  /** Options of the adapter in every mode: limits, names, questions. */
  readonly adapter?: Omit<McpAdapterOptions, "name" | "version">
  /** Options of `--mcp`. */
  readonly stdio?: Omit<StdioOptions, "exit" | "onExit">
  /** Options of `--http`. Its `host` and `port` apply if `--http` names none. */
  readonly http?: Omit<HttpOptions, "exit" | "onExit">
  /** The most bytes of arguments read from standard input; more is invalid usage. Default 4 MiB. */
  readonly maxInputBytes?: number
  /**
   * Whether the process belongs to the command: it then ends with the exit code, whatever the application still holds. With
   * `false`, the exit code is only returned. Default `true`.
   */
  readonly exit?: boolean
  /** Runs before a server or a watch begins. If it throws, the command prints why and exits with code 1. */
  readonly onStart?: () => void | Promise<void>
  /** Runs once at the end. The exit waits for it, at most 5,000 milliseconds. */
  readonly onExit?: () => void | Promise<void>
}

/** The accepted values of each option. The adapter and the bindings check their own. */
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

/** The context of a mode. */
export interface ModeSite {
  /** The adapter of the service. */
  readonly adapter: McpAdapter
  /** The view without a principal. */
  readonly view: View
  /** The command. */
  readonly command: CommandSite
  /** The options. */
  readonly options: RunOptions
  /** The ids of failures whose causes were printed. */
  readonly told: ReadonlySet<string>
}
