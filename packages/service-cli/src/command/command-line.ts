import type { ToolEntry } from "@x/mcp-adapter"
import type { GivenArguments } from "../flags/flag.js"
import type { GivenSettings } from "./options.js"

/** A parsed command line. */
export type CommandLine =
  /** Help or the version, which has been printed. */
  | { readonly mode: "done" }
  /** Serves over stdio. */
  | ({ readonly mode: "mcp" } & RunLine)
  /** Serves over HTTP at `[host:]port`, or at the default address if that is absent. */
  | ({ readonly mode: "http"; readonly address: string | undefined } & RunLine)
  /** Lists actions and states. */
  | { readonly mode: "describe" }
  /** Watches one state, or all states if no path and key are given. */
  | ({ readonly mode: "watch"; readonly state: string | undefined } & RunLine)
  /** Prints a shell's completion script. */
  | { readonly mode: "completion"; readonly shell: string }
  /** Calls an action. */
  | ({ readonly mode: "call" } & CallLine & RunLine)

/** An action to call. */
export interface CallLine extends GivenArguments {
  /** Whether confirmations are accepted. */
  readonly yes: boolean
}

/** The options of every mode that runs something. */
export interface RunLine {
  /** The file that calls are logged to, `-` for standard error; `undefined` for none. */
  readonly log: string | undefined
  /** The settings for this run. */
  readonly given: GivenSettings
}

/** The context for parsing a command line. */
export interface CommandSite {
  /** The command's name. */
  readonly name: string
  /** The version that `--version` prints. */
  readonly version: string
  /** A description; may be empty. */
  readonly description: string
  /** The actions that can be called now. */
  readonly tools: readonly ToolEntry[]
  /** The descriptions of settings that flags can set, by name; `undefined` if there are no settings. */
  readonly settings: Readonly<Record<string, string>> | undefined
  /** The default action. */
  readonly primary: ToolEntry | undefined
  /** Finds unlisted names: an action's other names, and unavailable actions. */
  find(word: string): ToolEntry | undefined
}
