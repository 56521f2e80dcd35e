import { isRecord } from "@x/base"
import type { Dialect } from "./variables.js"

/** A member of a file. */
export type Fields = Readonly<Record<string, unknown>>

/** A file's servers in their host's notation. */
export interface HostForm {
  /** The host's name. */
  readonly host: "Codex" | "Goose" | "opencode" | "VS Code" | "Zed" | "mcpServers"
  /** The servers' place in the file. */
  readonly at: readonly string[]
  /** The entries by server name. */
  readonly servers: Fields
  /** Its notation of variables. */
  readonly dialect: Dialect
  /** The remaining members of the file. */
  readonly rest: Fields
  /** The definitions of its inputs. */
  readonly inputs?: unknown
  /** Unsupported parts of the file. */
  readonly warnings?: readonly string[]
}

/** A host that keeps servers under `mcpServers` and never writes variables as `$NAME`. */
export type KnownHost = "Claude Code" | "Claude Desktop" | "Cursor" | "Windsurf"

/** A file's owner and project. */
export interface HostPlace {
  /** The project's folder, for a file that has servers of several projects. */
  readonly workspace: string
  /** The host, if known from the file's path. */
  readonly host: KnownHost | undefined
}

/** Finds the servers in a file's content, or returns the reason why there are none. */
export function recogniseHost(value: unknown, place: HostPlace): HostForm | string {
  if (!isRecord(value)) return "/: expected an object"
  return (
    foreign(value) ??
    mcpServers(value, place) ??
    codex(value) ??
    zed(value) ??
    withinMcp(value) ??
    vsCode(value, []) ??
    goose(value) ??
    nested(value) ??
    unknownForm(value)
  )
}

/** Describes known formats that are not supported. */
function foreign(value: Fields): string | undefined {
  const { mcpServers: servers } = value
  const named = (what: string, then: string): string => `this is ${what}, which the gateway does not read: ${then}`
  if (Array.isArray(servers)) return named("Continue's form", 'write "mcpServers" as an object of servers by name')
  if ("amp.mcpServers" in value) return named("Amp's form", 'write "mcpServers" in its place')
  if (isOfCrush(value)) return named("Crush's form", 'write "mcpServers" in place of "mcp"')
  if ("manifest_version" in value || "dxt_version" in value)
    return named("the manifest of a bundle (MCPB)", "name the command that it starts as a server")
  if ("packages" in value || "remotes" in value || "server" in value)
    if (String(value["$schema"] ?? "").includes("server.schema.json"))
      return named("a server's entry in the MCP registry", "name its command or URL as a server")
  if ("registry" in value && !("mcpServers" in value) && isRecord(value["registry"]))
    return named("a catalogue of Docker's MCP toolkit", 'name its gateway as a server: "docker mcp gateway run"')
  return undefined
}

/** Returns whether servers stand under `mcp` with a command in one text, which neither VS Code nor opencode writes. */
function isOfCrush({ mcp }: Fields): boolean {
  const entries = isRecord(mcp) && !isRecord(mcp["servers"]) ? Object.values(mcp) : []
  return entries.some((entry) => isRecord(entry) && /^(stdio|http|sse)$/.test(String(entry["type"])))
}

/** Reads the format of Claude Desktop and Code, Cursor, Gemini CLI, Copilot CLI, Windsurf and most other hosts. */
function mcpServers(value: Fields, { workspace, host }: HostPlace): HostForm | string | undefined {
  const { mcpServers: own, projects, ...rest } = value
  if (own !== undefined && !isRecord(own)) return "/mcpServers: expected an object of servers by name"
  if (own === undefined && !(isRecord(projects) && Object.values(projects).some(hasServers))) return undefined
  const warnings = "servers" in value ? ['/servers: has no effect beside "mcpServers"'] : []
  const known = isRecord(projects) ? ofProject(projects, workspace) : { servers: {}, rest: {}, warnings: [] }
  return {
    host: "mcpServers",
    at: ["mcpServers"],
    servers: { ...own, ...known.servers },
    dialect: host === undefined ? "shell" : "braces",
    rest: { ...(isState(value) ? rulesOf(rest) : rest), ...known.rest },
    inputs: rest["inputs"],
    warnings: [...warnings, ...known.warnings],
  }
}

/** Returns whether the file is Claude Code's state file, in which many names merely resemble server settings. */
function isState(value: Fields): boolean {
  return "numStartups" in value || "projects" in value
}

function rulesOf(rest: Fields): Fields {
  return Object.fromEntries(Object.entries(rest).filter(([key]) => /mcpservers|permissions$/i.test(key)))
}

function hasServers(project: unknown): boolean {
  return isRecord(project) && isRecord(project["mcpServers"]) && Object.keys(project["mcpServers"]).length > 0
}

/** Reads folder-specific servers from Claude Code's `~/.claude.json`: uses those of the workspace, and reports others. */
function ofProject(projects: Fields, workspace: string) {
  const project = projects[workspace]
  const { mcpServers: servers = {}, ...rest } = isRecord(project) ? project : {}
  const others = Object.entries(projects).filter(([folder, each]) => folder !== workspace && hasServers(each))
  return {
    servers: isRecord(servers) ? servers : {},
    rest: Object.fromEntries(Object.entries(rest).filter(([key]) => /mcp/i.test(key))),
    warnings: others.map(
      ([folder]) => `/projects: the servers of "${folder}" are not served: name that folder with --workspace`,
    ),
  }
}

function codex(value: Fields): HostForm | string | undefined {
  const { mcp_servers: servers, ...rest } = value
  if (servers === undefined) return undefined
  if (!isRecord(servers)) return "/mcp_servers: expected a table of servers by name"
  return { host: "Codex", at: ["mcp_servers"], servers, dialect: "none", rest }
}

function zed(value: Fields): HostForm | string | undefined {
  const { context_servers: servers, ...rest } = value
  if (servers === undefined) return undefined
  if (!isRecord(servers)) return "/context_servers: expected an object of servers by name"
  return { host: "Zed", at: ["context_servers"], servers, dialect: "none", rest }
}

/** Reads servers under `mcp`, as in VS Code's settings and opencode. */
function withinMcp(value: Fields): HostForm | undefined {
  const { mcp, ...rest } = value
  if (!isRecord(mcp)) return undefined
  const { servers, ...others } = mcp
  const entries = Object.values(isRecord(servers) ? servers : mcp)
  if (entries.some(isOpencode) || String(value["$schema"] ?? "").includes("opencode.ai"))
    return isRecord(servers)
      ? { host: "opencode", at: ["mcp", "servers"], servers, dialect: "opencode", rest: { ...rest, mcp: others } }
      : { host: "opencode", at: ["mcp"], servers: mcp, dialect: "opencode", rest }
  return isRecord(servers) ? withRest(vsCode(mcp, ["mcp"]), rest) : undefined
}

function isOpencode(entry: unknown): boolean {
  return isRecord(entry) && (entry["type"] === "local" || entry["type"] === "remote" || Array.isArray(entry["command"]))
}

function withRest(form: HostForm | undefined, rest: Fields): HostForm | undefined {
  return form && { ...form, rest: { ...rest, ...form.rest } }
}

function vsCode(value: Fields, at: readonly string[]): HostForm | undefined {
  const { servers, inputs, ...rest } = value
  if (!isRecord(servers)) return undefined
  return { host: "VS Code", at: [...at, "servers"], servers, dialect: "braces", rest, inputs }
}

function goose(value: Fields): HostForm | undefined {
  const { extensions: servers, ...rest } = value
  if (!isRecord(servers) || !Object.values(servers).some(isExtension)) return undefined
  return { host: "Goose", at: ["extensions"], servers, dialect: "shell", rest }
}

function isExtension(entry: unknown): boolean {
  return isRecord(entry) && ["type", "cmd", "uri", "config"].some((key) => key in entry)
}

/** Reads the nested settings of a VS Code workspace (`settings`) or a development container (`customizations.vscode`). */
function nested(value: Fields): HostForm | undefined {
  const { settings, customizations } = value
  const container = isRecord(customizations) ? customizations["vscode"] : undefined
  const found = [
    { under: ["settings"], inside: settings },
    { under: ["customizations", "vscode"], inside: container },
    {
      under: ["customizations", "vscode", "settings"],
      inside: isRecord(container) ? container["settings"] : undefined,
    },
  ]
  for (const { under, inside } of found) {
    const form = isRecord(inside) ? withinMcp(inside) : undefined
    if (form !== undefined) return { ...form, at: [...under, ...form.at] }
  }
  return undefined
}

function unknownForm(value: Fields): string {
  const keys = Object.keys(value)
  const shown = keys.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 40)))
  const found = keys.length === 0 ? "nothing" : `${shown.join(", ")}${keys.length > shown.length ? ", …" : ""}`
  const forms = [
    '"mcpServers" (Claude, Cursor, Gemini CLI, Copilot, Windsurf and others)',
    '"servers" or "mcp" (VS Code)',
    '"mcp_servers" (Codex)',
    '"context_servers" (Zed)',
    '"mcp" (opencode)',
    '"extensions" (Goose)',
  ]
  return `found no servers: the keys are ${found}; expected ${forms.join(", ")}`
}
