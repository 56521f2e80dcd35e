import type { ProfileName } from "@x/tool-schemas"
import type { ClientInfo } from "../calls/call-context.js"
import type { ExposureFor, ExposureName } from "../exposures/exposure.js"

/** A known MCP host and its handling of tool lists. */
export interface KnownClient {
  /** The host's name for people. */
  readonly title: string
  /**
   * The `clientInfo.name` that the host sends in `initialize`, in each observed spelling. A trailing `*` stands for the user's
   * name of the server.
   */
  readonly names: readonly string[]
  /** The tested version; absent if the facts were only read about. */
  readonly version?: string
  /**
   * When the host lists tools again after a change notice: `at once`, `late` (its model sees the new list some requests later),
   * or `never` (it keeps its first list, or may).
   */
  readonly listsAgain: "at once" | "late" | "never"
  /** The most tools that the host accepts, over all its servers; absent if unknown. */
  readonly toolCap?: number
  /** The host's changes to tool names; absent if unknown. */
  readonly nameRules?: string
  /** The host's changes to schemas; absent if unknown. */
  readonly schemas?: string
  /** The profile in which input schemas are published to it best. Absent if its treatment of schemas is unknown, or lossy. */
  readonly schemaProfile?: ProfileName
  /** The best exposure for few tools. For many, see {@link recommendExposure}. */
  readonly exposure: Exclude<ExposureName, "meta" | "grouped">
  /** The kind of evidence: seen on the wire in a run of ours, or read. */
  readonly evidence: "seen" | "read"
  /** The article, issue or run behind it. */
  readonly source: string
  /** The date of the check. */
  readonly checked: string
}

/** All known clients, by title. */
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
    nameRules: "rejects names outside [a-zA-Z0-9_-]{1,64}",
    schemas: "its API rejects anyOf, oneOf and allOf at the root",
    schemaProfile: "anthropic",
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
    nameRules: "prefix: mcp__, the server's name, __; its API rejects names outside [a-zA-Z0-9_-]{1,128}",
    schemas: "as sent; its API rejects anyOf, oneOf and allOf at the root",
    schemaProfile: "anthropic",
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
    nameRules: "prefix: the server's name, __",
    schemas: "as sent",
    schemaProfile: "verbatim",
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
    nameRules: "prefix: the server's name; characters outside [a-zA-Z0-9_-] become _; cut at 128",
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
    nameRules: "as sent, without a prefix",
    schemas: "omits additionalProperties",
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
    nameRules: "hides a tool if its name and the server's exceed 60 characters together",
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
    nameRules: "prefix: the server's name; invalid characters become _; the middle of names over 63 is cut out",
    schemas:
      "as sent, but a nullable type becomes `nullable: true`; a single boolean property schema loses the whole list",
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
    nameRules: "prefix: the server's name, -",
    schemas: "as sent",
    schemaProfile: "verbatim",
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
    nameRules: "prefix: the server's name; invalid characters become _; one of two clashing names is dropped",
    schemas: "closes the root object, which empties a map; a single boolean property schema loses the whole list",
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
    nameRules: "prefix: mcp__, the server's name, __",
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
 * Recommends an exposure for a known client. Clients that keep their first list get `stable`, others `dynamic`, or `grouped` if
 * there are more than 40 tools, or more than the client accepts, and grouping halves their number. If the list is still longer
 * than the client accepts, the recommendation is `meta`. Returns `undefined` for an unknown client.
 *
 * @example
 * ```ts
 * import { recommendExposure } from "@x/mcp-adapter"
 *
 * // The option `exposureFor` of every server takes it: serveHttp(adapter, { exposureFor: recommendExposure })
 * console.log(recommendExposure({ name: "claude-code", version: "2.1.332" }, { tools: 12 })) // dynamic
 * console.log(recommendExposure({ name: "cursor-vscode", version: "1.0.0" }, { tools: 60 })) // meta
 * console.log(recommendExposure({ name: "cursor-vscode", version: "1.0.0" }, { tools: 60, grouped: 12 })) // grouped
 * ```
 */
export const recommendExposure: ExposureFor = ({ name }, { tools, grouped = tools }) => {
  const known = findClient(name)
  if (known === undefined) return undefined
  const { toolCap = Number.POSITIVE_INFINITY, exposure } = known
  // A list whose tools come and go is for clients that list again.
  const canGroup = exposure === "dynamic" && grouped <= toolCap && grouped * 2 <= tools
  if (canGroup && tools > Math.min(toolCap, MANY_TOOLS)) return "grouped"
  return tools > toolCap ? "meta" : exposure
}

/** More tools than these cost a model more than choosing an item does. */
const MANY_TOOLS = 40

/**
 * Recommends a profile for the input schemas of a known client: `verbatim` if it passes schemas on as they are and no fault of its
 * models' API with any is known, otherwise that of the API. Returns `undefined` for a client whose treatment of schemas is unknown.
 *
 * @example
 * ```ts
 * import { recommendSchemas } from "@x/mcp-adapter"
 *
 * console.log(recommendSchemas({ name: "claude-code" })) // anthropic
 * console.log(recommendSchemas({ name: "my-client" }) ?? "verbatim") // verbatim
 * ```
 */
export function recommendSchemas({ name }: Pick<ClientInfo, "name">): ProfileName | undefined {
  return findClient(name)?.schemaProfile
}

function findClient(name: string): KnownClient | undefined {
  return knownClients.find(({ names }) =>
    names.some((each) => each === name || (each.endsWith("*") && name.startsWith(each.slice(0, -1)))),
  )
}
