import type { ToolEntry } from "@x/mcp-adapter"
import type { GivenArguments } from "../flags/flag.js"
import type { GivenSettings } from "./options.js"

/** What a command line asks for. */
export type CommandLine =
  /** Help or the version, which has been printed. */
  | { readonly mode: "done" }
  /** To be served over stdio. */
  | ({ readonly mode: "mcp" } & RunLine)
  /** To be served over HTTP, at `[host:]port`, or where that is absent at the default. */
  | ({ readonly mode: "http"; readonly address: string | undefined } & RunLine)
  /** What there is to call and to read. */
  | { readonly mode: "describe" }
  /** To hear of one state, by its path and key, or where that is absent of all. */
  | ({ readonly mode: "watch"; readonly state: string | undefined } & RunLine)
  /** The script that a shell completes the command with. */
  | { readonly mode: "completion"; readonly shell: string }
  /** To call an action. */
  | ({ readonly mode: "call" } & CallLine & RunLine)

/** An action to call. */
export interface CallLine extends GivenArguments {
  /** Whether what a person is asked to accept is accepted. */
  readonly yes: boolean
}

/** What goes with every mode in which something runs. */
export interface RunLine {
  /** The file that calls are noted in, `-` for standard error; `undefined` for none. */
  readonly log: string | undefined
  /** What is set for this once. */
  readonly given: GivenSettings
}

/** What a command line is read against. */
export interface CommandSite {
  /** What the command is called. */
  readonly name: string
  /** What `--version` prints. */
  readonly version: string
  /** What it is for; may be empty. */
  readonly description: string
  /** The actions that can be called now. */
  readonly tools: readonly ToolEntry[]
  /** The settings that flags can set, with what each is for; `undefined` where nothing can be set up. */
  readonly settings: Readonly<Record<string, string>> | undefined
  /** The action that runs when none is named. */
  readonly primary: ToolEntry | undefined
  /** Finds an action that is known by another word than its listed name, or cannot be called now. */
  find(word: string): ToolEntry | undefined
}
