import type { ExposureFor, ExposureName } from "./exposure.js"

/** What is known of one host of models: what it does with a list of tools. */
export interface KnownClient {
  /** What people call it. */
  readonly title: string
  /**
   * What it says it is in `initialize` (`clientInfo.name`), in each spelling that was found. One that ends in `*` is followed by
   * what the person calls the server.
   */
  readonly names: readonly string[]
  /** The version that was looked at; absent where only something about it was read. */
  readonly version?: string
  /**
   * Whether it lists again when it is told that the tools are others: `at once`, `late` (its model sees the new list some
   * requests after), or `never` (it keeps the list it saw first, or may).
   */
  readonly listsAgain: "at once" | "late" | "never"
  /** The most tools it takes, all its servers together; absent where none is known. */
  readonly toolCap?: number
  /** What it does to names; absent where nothing is known. */
  readonly nameRules?: string
  /** What it does to schemas; absent where nothing is known. */
  readonly schemas?: string
  /** The exposure that serves it best, as long as the tools are no more than it takes; above, it is `meta`. */
  readonly exposure: Exclude<ExposureName, "meta">
  /** How it is known: seen on the wire in a run of ours, or read. */
  readonly evidence: "seen" | "read"
  /** Where it was read, or what was run. */
  readonly source: string
  /** When, as a date. */
  readonly checked: string
}

/** Every client that something is known of, by title. */
export const knownClients: readonly KnownClient[] = [
  {
    title: "ChatGPT",
    names: ["ChatGPT"],
    listsAgain: "never",
    exposure: "stable",
    evidence: "read",
    source: "npm mcp-client-capabilities 0.0.14",
    checked: "2026-11-28",
  },
  {
    title: "Claude (desktop and web)",
    names: ["claude-ai"],
    listsAgain: "never",
    nameRules: "refuses what is not [a-zA-Z0-9_-]{1,64}",
    schemas: "its API refuses anyOf, oneOf and allOf at the root",
    exposure: "stable",
    evidence: "read",
    source: "npm mcp-client-capabilities 0.0.14; hostinger/api-mcp-server#49; anthropics/claude-code#88483, #40075",
    checked: "2026-11-28",
  },
  {
    title: "Claude Code",
    names: ["claude-code"],
    version: "2.1.332",
    listsAgain: "at once",
    nameRules: "mcp__, the server's name and __ come before; its API refuses what is not [a-zA-Z0-9_-]{1,128}",
    schemas: "as sent; its API refuses anyOf, oneOf and allOf at the root",
    exposure: "dynamic",
    evidence: "seen",
    source: "run against a loopback model, 2026-07-28 over HTTP; anthropics/claude-code#40075; github/copilot-cli#2581",
    checked: "2026-11-28",
  },
  {
    title: "Cline",
    names: ["Cline"],
    listsAgain: "at once",
    exposure: "dynamic",
    evidence: "read",
    source: "npm mcp-client-capabilities 0.0.14; cline/cline#12619",
    checked: "2026-11-28",
  },
  {
    title: "Cline CLI",
    names: ["@cline/core"],
    version: "3.0.65",
    listsAgain: "never",
    nameRules: "the server's name and __ come before",
    schemas: "as sent",
    exposure: "stable",
    evidence: "seen",
    source: "run against a loopback model, 2025-11-25 over HTTP",
    checked: "2026-11-28",
  },
  {
    title: "Codex CLI",
    names: ["codex-mcp-client", "Codex"],
    version: "0.171.0",
    listsAgain: "never",
    nameRules: "a prefix with the server's name; what is not [a-zA-Z0-9_-] becomes _; cut at 128",
    schemas: "drops bounds, pattern, format, default, patternProperties, if and not; prefixItems and const change",
    exposure: "stable",
    evidence: "seen",
    source: "run against a loopback model, 2025-06-18 over HTTP",
    checked: "2026-11-28",
  },
  {
    title: "Continue CLI",
    names: ["continue-cli-client"],
    version: "1.5.47",
    listsAgain: "never",
    nameRules: "as sent, with nothing before",
    schemas: "leaves additionalProperties out",
    exposure: "stable",
    evidence: "seen",
    source: "run against a loopback model, 2025-11-25 over HTTP",
    checked: "2026-11-28",
  },
  {
    title: "Cursor",
    names: ["cursor-vscode"],
    listsAgain: "at once",
    toolCap: 40,
    nameRules: "hides a tool whose name and server's name are longer than 60 together",
    exposure: "dynamic",
    evidence: "read",
    source: "npm mcp-client-capabilities 0.0.14; bun913/mcp-testrail#6; ComposioHQ/composio#2788",
    checked: "2026-11-28",
  },
  {
    title: "Gemini CLI",
    names: ["gemini-cli-mcp-client"],
    version: "0.61.0",
    listsAgain: "late",
    nameRules: "a prefix with the server's name; bad characters become _; above 63 the middle is cut out",
    schemas: "as sent, but a nullable type becomes `nullable: true`; one boolean property schema costs the whole list",
    exposure: "dynamic",
    evidence: "seen",
    source: "run against a loopback model, 2025-06-18 over HTTP",
    checked: "2026-11-28",
  },
  {
    title: "GitHub Copilot CLI",
    names: ["copilot-cli", "github-copilot-developer"],
    version: "1.0.102",
    listsAgain: "at once",
    nameRules: "the server's name and - come before",
    schemas: "as sent",
    exposure: "dynamic",
    evidence: "seen",
    source:
      "run against a loopback model, 2026-07-28 over HTTP; the second name from npm mcp-client-capabilities 0.0.14",
    checked: "2026-11-28",
  },
  {
    title: "Kilo Code",
    names: ["Kilo-Code"],
    listsAgain: "at once",
    exposure: "dynamic",
    evidence: "read",
    source: "npm mcp-client-capabilities 0.0.14",
    checked: "2026-11-28",
  },
  {
    title: "opencode",
    names: ["opencode"],
    version: "1.18.33",
    listsAgain: "late",
    nameRules: "a prefix with the server's name; bad characters become _, and of two that clash one is dropped",
    schemas: "closes the root, which empties a map; one boolean property schema costs the whole list",
    exposure: "dynamic",
    evidence: "seen",
    source: "run against a loopback model, 2025-11-25 over HTTP",
    checked: "2026-11-28",
  },
  {
    title: "qwen-code",
    names: ["qwen-cli-mcp-client-*"],
    version: "0.24.4",
    listsAgain: "never",
    nameRules: "mcp__, the server's name and __ come before",
    exposure: "stable",
    evidence: "seen",
    source: "run against a loopback model, 2025-11-25 over HTTP",
    checked: "2026-11-28",
  },
  {
    title: "VS Code",
    names: ["Visual Studio Code", "Visual-Studio-Code"],
    listsAgain: "at once",
    toolCap: 128,
    nameRules: "at most 64 with the host's prefix; dots are replaced",
    schemas: "drops a tool with an array that has no items",
    exposure: "dynamic",
    evidence: "read",
    source:
      "npm mcp-client-capabilities 0.0.14; microsoft/vscode#243602, #246119; microsoft/vscode-copilot-release#13065",
    checked: "2026-11-28",
  },
  {
    title: "Windsurf",
    names: ["windsurf-client", "Windsurf"],
    listsAgain: "at once",
    exposure: "dynamic",
    evidence: "read",
    source: "npm mcp-client-capabilities 0.0.14",
    checked: "2026-11-28",
  },
]

/**
 * The exposure that serves a client best, by what is known of it: `meta` where there are more tools than it takes, else
 * `stable` where it keeps the list it saw first, else `dynamic`. `undefined` for a client that nothing is known of.
 */
export const recommendExposure: ExposureFor = ({ name }, { tools }) => {
  const known = findClient(name)
  if (known === undefined) return undefined
  return known.toolCap !== undefined && tools > known.toolCap ? "meta" : known.exposure
}

function findClient(name: string): KnownClient | undefined {
  return knownClients.find(({ names }) =>
    names.some((each) => each === name || (each.endsWith("*") && name.startsWith(each.slice(0, -1)))),
  )
}
