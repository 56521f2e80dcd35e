import { isRecord } from "@x/tool-schemas/json"
import type { Dialect } from "./variables.js"

/** A member of a file. */
export type Fields = Readonly<Record<string, unknown>>

/** The servers of a file, as the host that it belongs to writes them. */
export interface HostForm {
  /** The host, for people. */
  readonly host: "Codex" | "Goose" | "opencode" | "VS Code" | "Zed" | "mcpServers"
  /** Where the servers stand in the file. */
  readonly at: readonly string[]
  /** The entries, by the names of their servers. */
  readonly servers: Fields
  /** Which variables its texts have. */
  readonly dialect: Dialect
  /** What else the file says. */
  readonly rest: Fields
  /** The definitions of its inputs. */
  readonly inputs?: unknown
  /** What of the file is not served, in words. */
  readonly warnings?: readonly string[]
}

/** Finds the servers in what a file holds; a text says why there are none. */
export function recogniseHost(value: unknown, workspace: string): HostForm | string {
  if (!isRecord(value)) return "/: expected an object"
  return (
    foreign(value) ??
    mcpServers(value, workspace) ??
    codex(value) ??
    zed(value) ??
    withinMcp(value) ??
    vsCode(value, []) ??
    goose(value) ??
    nested(value) ??
    unknownForm(value)
  )
}

/** What is known of forms that are not read. */
function foreign(value: Fields): string | undefined {
  const { mcpServers: servers } = value
  const named = (what: string, then: string): string => `this is ${what}, which is not read: ${then}`
  if (Array.isArray(servers)) return named("Continue's form", 'write "mcpServers" as an object of servers by name')
  if ("manifest_version" in value || "dxt_version" in value)
    return named("the manifest of a bundle (MCPB)", "name the command that it starts as a server")
  if ("packages" in value || "remotes" in value || "server" in value)
    if (String(value["$schema"] ?? "").includes("server.schema.json"))
      return named("a server's entry in the MCP registry", "name its command or URL as a server")
  if ("registry" in value && !("mcpServers" in value) && isRecord(value["registry"]))
    return named("a catalogue of Docker's MCP toolkit", 'name its gateway as a server: "docker mcp gateway run"')
  return undefined
}

/** As Claude Desktop and Code, Cursor, Gemini CLI, Copilot CLI, Windsurf and most others have it. */
function mcpServers(value: Fields, workspace: string): HostForm | string | undefined {
  const { mcpServers: own, projects, ...rest } = value
  if (own !== undefined && !isRecord(own)) return "/mcpServers: expected an object of servers by name"
  if (own === undefined && !(isRecord(projects) && Object.values(projects).some(hasServers))) return undefined
  const warnings = "servers" in value ? ['/servers: says nothing beside "mcpServers"'] : []
  const known = isRecord(projects) ? ofProject(projects, workspace) : { servers: {}, rest: {}, warnings: [] }
  return {
    host: "mcpServers",
    at: ["mcpServers"],
    servers: { ...own, ...known.servers },
    dialect: "shell",
    rest: { ...(isState(value) ? rulesOf(rest) : rest), ...known.rest },
    inputs: rest["inputs"],
    warnings: [...warnings, ...known.warnings],
  }
}

/** Whether it is the file in which Claude Code keeps what it remembers, much of it of names that only seem to be about servers. */
function isState(value: Fields): boolean {
  return "numStartups" in value || "projects" in value
}

function rulesOf(rest: Fields): Fields {
  return Object.fromEntries(Object.entries(rest).filter(([key]) => /mcpservers|permissions$/i.test(key)))
}

function hasServers(project: unknown): boolean {
  return isRecord(project) && isRecord(project["mcpServers"]) && Object.keys(project["mcpServers"]).length > 0
}

/** Claude Code keeps servers of folders in `~/.claude.json`: those of the workspace count, the others are told. */
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

/** VS Code's settings and opencode both have them under `mcp`. */
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

/** A workspace of VS Code has its settings under `settings`, a development container under `customizations.vscode`. */
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
  return `no servers are found in a form that is read: found ${found}; expected ${forms.join(", ")}`
}
