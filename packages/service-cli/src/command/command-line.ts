import type { ToolEntry } from "@x/mcp-adapter"

/** What a command line asks for. */
export type CommandLine =
  /** Help or the version, which has been printed. */
  | { readonly mode: "done" }
  /** To be served over stdio. */
  | ({ readonly mode: "mcp" } & LogLine)
  /** To be served over HTTP, at `[host:]port`, or where that is absent at the default. */
  | ({ readonly mode: "http"; readonly address: string | undefined } & LogLine)
  /** What there is to call and to read. */
  | { readonly mode: "describe" }
  /** To hear of one state, by its path and key, or where that is absent of all. */
  | { readonly mode: "watch"; readonly state: string | undefined }
  /** The script that a shell completes the command with. */
  | { readonly mode: "completion"; readonly shell: string }
  /** To call an action. */
  | ({ readonly mode: "call" } & CallLine & LogLine)

/** An action to call. */
export interface CallLine {
  /** The action. */
  readonly entry: ToolEntry
  /** The word it was named with, for messages; the command's own where none was. */
  readonly title: string
  /** What its flags gave, by field. */
  readonly given: ReadonlyMap<string, unknown>
  /** What `--json` gave; `-` stands for standard input. */
  readonly json: string | undefined
  /** Whether what a person is asked to accept is accepted. */
  readonly yes: boolean
}

/** What goes with every mode in which calls are made. */
export interface LogLine {
  /** The file that calls are noted in, `-` for standard error; `undefined` for none. */
  readonly log: string | undefined
}
