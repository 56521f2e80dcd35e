import { formatPointer, isRecord } from "@x/tool-schemas/json"
import type { Fields, HostForm } from "./recognise-host.js"
import { suspect } from "./suspect.js"

/** What a file says of its servers outside their entries. */
export interface Rules {
  /** Servers that are left out. */
  readonly leftOut: ReadonlySet<string>
  /** Tools that are left out, by server. */
  readonly exclude: ReadonlyMap<string, readonly string[]>
  /** The only tools that are taken, by server. */
  readonly include: ReadonlyMap<string, readonly string[]>
  /** Why a server is refused: it is restricted in a way that is not understood. */
  readonly refused: ReadonlyMap<string, readonly string[]>
  /** What an operator should know. */
  readonly warnings: readonly string[]
}

/** Collects rules while a file is read. */
interface Collector {
  readonly names: readonly string[]
  leaveOut(name: string): void
  exclude(name: string, tool: string): void
  include(name: string, tools: readonly string[]): void
  /** Refuses one server, or all of them. */
  refuse(name: string | undefined, path: readonly string[], why: string): void
  warn(path: readonly string[], what: string): void
}

/** Reads what a file says of its servers outside their entries. What is not understood refuses the servers it is about. */
export function readRules({ host, rest, servers }: HostForm): Rules {
  const names = Object.keys(servers)
  const leftOut = new Set<string>()
  const exclude = new Map<string, string[]>()
  const include = new Map<string, readonly string[]>()
  const refused = new Map<string, string[]>()
  const warnings: string[] = []
  const add = (map: Map<string, string[]>, name: string, what: string): void => {
    map.set(name, [...(map.get(name) ?? []), what])
  }
  const collector: Collector = {
    names,
    leaveOut: (name) => leftOut.add(name),
    exclude: (name, tool) => add(exclude, name, tool),
    include: (name, tools) => include.set(name, tools),
    refuse(name, path, why) {
      for (const each of name === undefined ? names : [name]) add(refused, each, `${formatPointer(path)}: ${why}`)
    },
    warn: (path, what) => warnings.push(`${formatPointer(path)}: ${what}`),
  }
  for (const { name, path } of suspect(READERS[host](rest, collector), { names, host }))
    collector.refuse(name, path, UNCLEAR)
  return { leftOut, exclude, include, refused, warnings }
}

const UNCLEAR =
  "may restrict it in a way that is not understood: say it with include, exclude or disabled of the server"

/** Reads what is known of a host, and returns what is left. */
type Reader = (rest: Fields, rules: Collector) => Fields

const READERS: Readonly<Record<HostForm["host"], Reader>> = {
  mcpServers: readShared,
  "VS Code": readVsCode,
  Codex: (rest) => rest,
  Zed: readZed,
  opencode: readOpencode,
  Goose: readGoose,
}

const APPROVAL = "asks a person before calls, which is not done here: leave it out, and let the host that calls ask"

/** Gemini CLI's and Claude Code's rules; both have their servers under `mcpServers`. */
function readShared(rest: Fields, rules: Collector): Fields {
  const { mcp, tools, excludeTools, permissions, allowMCPServers, excludeMCPServers, ...others } = rest
  const { allowedMcpServers, deniedMcpServers, disabledMcpServers, disabledMcpjsonServers, ...more } = others
  const { enabledMcpjsonServers: _, enabledMcpServers: __, enableAllProjectMcpServers: ___, ...left } = more
  const { allowed, excluded, serverCommand, ...unknown } = fieldsOf(mcp)
  onlyThese(allowed, ["mcp", "allowed"], rules)
  onlyThese(allowMCPServers, ["allowMCPServers"], rules)
  onlyThese(allowedMcpServers, ["allowedMcpServers"], rules)
  notThese(excluded, ["mcp", "excluded"], rules)
  notThese(excludeMCPServers, ["excludeMCPServers"], rules)
  notThese(deniedMcpServers, ["deniedMcpServers"], rules)
  notThese(disabledMcpServers, ["disabledMcpServers"], rules)
  notThese(disabledMcpjsonServers, ["disabledMcpjsonServers"], rules)
  if (serverCommand !== undefined)
    rules.warn(["mcp", "serverCommand"], "is one more server, which is not served: give it an entry of its own")
  for (const key of Object.keys(unknown))
    rules.refuse(undefined, ["mcp", key], "is not known, and may restrict servers")
  notTheseTools(fieldsOf(tools)["exclude"], ["tools", "exclude"], rules)
  notTheseTools(excludeTools, ["excludeTools"], rules)
  readPermissions(fieldsOf(permissions), rules)
  return left
}

function onlyThese(list: unknown, path: readonly string[], rules: Collector): void {
  const wanted = serversIn(list, path, rules)
  if (wanted === undefined) return
  for (const name of rules.names) if (!wanted.includes(name)) rules.leaveOut(name)
}

function notThese(list: unknown, path: readonly string[], rules: Collector): void {
  for (const name of serversIn(list, path, rules) ?? []) rules.leaveOut(name)
}

/** Returns the servers that a list names, as texts or as objects with `serverName`. */
function serversIn(list: unknown, path: readonly string[], rules: Collector): readonly string[] | undefined {
  if (list === undefined) return undefined
  const names = Array.isArray(list) ? list.map((each) => (isRecord(each) ? each["serverName"] : each)) : [undefined]
  if (names.every((each) => typeof each === "string")) return names
  rules.refuse(undefined, path, "expected a list of servers by name")
  return undefined
}

/** Gemini CLI names a tool by itself, as `server__tool` or as `mcp_server_tool`. */
function notTheseTools(list: unknown, path: readonly string[], rules: Collector): void {
  if (list === undefined) return
  if (!Array.isArray(list)) rules.refuse(undefined, path, "expected a list of tools")
  for (const each of Array.isArray(list) ? list : []) {
    const tool = String(each).replace(/\(.*$/s, "")
    for (const name of rules.names) {
      const prefixes = [`mcp_${name}_`, `mcp__${name}__`, `${name}__`]
      const prefix = prefixes.find((start) => tool.startsWith(start))
      rules.exclude(name, prefix === undefined ? tool : tool.slice(prefix.length))
    }
  }
}

/** Claude Code's rules: `mcp__server`, `mcp__server__tool`, `mcp__server__*`. */
function readPermissions({ deny, ask }: Fields, rules: Collector): void {
  for (const name of rules.names) {
    const start = `mcp__${name}`
    const about = (list: unknown): readonly string[] =>
      (Array.isArray(list) ? list.map(String) : []).filter((rule) => rule === start || rule.startsWith(`${start}__`))
    for (const rule of about(deny)) rules.exclude(name, rule === start ? "*" : rule.slice(start.length + 2))
    if (about(ask).length > 0) rules.refuse(name, ["permissions", "ask"], APPROVAL)
  }
}

function readVsCode(rest: Fields, rules: Collector): Fields {
  const { "chat.mcp.access": access, "chat.mcp.enabled": enabled, sandbox: _, ...others } = rest
  if (access === "none" || enabled === false) for (const name of rules.names) rules.leaveOut(name)
  else if (access !== undefined && access !== true && access !== "all")
    rules.refuse(undefined, ["chat.mcp.access"], `${JSON.stringify(access)} cannot be held to here`)
  return Object.fromEntries(Object.entries(others).filter(([key]) => !key.startsWith("chat.mcp.")))
}

function readZed(rest: Fields, rules: Collector): Fields {
  const { agent, ...left } = rest
  const { tool_permissions, default_profile, profiles } = fieldsOf(agent)
  const { default: general, tools } = fieldsOf(tool_permissions)
  if (general === "deny") for (const name of rules.names) rules.exclude(name, "*")
  if (general === "confirm") rules.warn(["agent", "tool_permissions", "default"], APPROVAL)
  for (const [key, about] of Object.entries(fieldsOf(tools))) readZedTool(key, fieldsOf(about), rules)
  const profile = typeof default_profile === "string" ? fieldsOf(profiles)[default_profile] : undefined
  if (isRecord(profile)) readProfile(profile, rules)
  return left
}

/** A rule about one tool, as `mcp:server:tool`. */
function readZedTool(key: string, { default: mode, always_allow: _, ...others }: Fields, rules: Collector): void {
  const [, server = "", tool = ""] = /^mcp:([^:]+):(.+)$/.exec(key) ?? []
  if (!rules.names.includes(server)) return
  const isFree = (mode === undefined || mode === "allow") && Object.keys(others).length === 0
  if (mode === "deny") rules.exclude(server, tool)
  else if (!isFree) rules.refuse(server, ["agent", "tool_permissions", "tools", key], APPROVAL)
}

/** The profile that Zed's agent has by default: tools that are off, or the only ones that are on. */
function readProfile({ enable_all_context_servers, context_servers }: Fields, rules: Collector): void {
  for (const name of rules.names) {
    const tools = Object.entries(fieldsOf(fieldsOf(fieldsOf(context_servers)[name])["tools"]))
    const on = tools.filter(([, value]) => value === true).map(([tool]) => tool)
    if (enable_all_context_servers === false) rules.include(name, on)
    for (const [tool, value] of tools) if (value === false) rules.exclude(name, tool)
  }
}

/** opencode's rules: patterns of `server_tool` that are on or off, or that ask. */
function readOpencode(rest: Fields, rules: Collector): Fields {
  const { tools, permission, permissions, agent: _, mode: __, ...left } = rest
  for (const [at, patterns] of Object.entries({ tools, permission, permissions }))
    for (const [pattern, value] of Object.entries(fieldsOf(patterns))) readPattern([at, pattern], value, rules)
  return left
}

function readPattern(path: readonly [string, string], value: unknown, rules: Collector): void {
  if (value === true || value === "allow") return
  for (const name of rules.names) {
    const tool = toolOf(path[1], name)
    if (tool === undefined) continue
    if (value === false || value === "deny") rules.exclude(name, tool)
    else rules.refuse(name, path, APPROVAL)
  }
}

/** Returns the pattern of tools that a pattern of `server_tool` stands for; `undefined` if it is about others. */
function toolOf(pattern: string, server: string): string | undefined {
  const star = pattern.indexOf("*")
  const start = `${server.replace(/[^A-Za-z0-9_-]/g, "_")}_`
  if (pattern === server) return "*"
  if (pattern.startsWith(start)) return pattern.slice(start.length) || "*"
  return star >= 0 && start.startsWith(pattern.slice(0, star)) ? pattern.slice(star) : undefined
}

function readGoose(rest: Fields, rules: Collector): Fields {
  const { GOOSE_MODE: mode, GOOSE_ALLOWLIST: allowlist, ...left } = rest
  if (mode === "chat") for (const name of rules.names) rules.leaveOut(name)
  else if (mode === "approve" || mode === "smart_approve") rules.warn(["GOOSE_MODE"], APPROVAL)
  if (allowlist !== undefined) rules.refuse(undefined, ["GOOSE_ALLOWLIST"], "a list elsewhere cannot be held to here")
  return left
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}
