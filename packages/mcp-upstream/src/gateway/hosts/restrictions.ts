import { formatPointer, isRecord } from "@x/base"
import { matchesGlob } from "../glob.js"
import { likelyKey } from "../likely-key.js"
import type { Fields, HostForm } from "./recognise-host.js"
import { isNamed, suspect } from "./suspect.js"

/** A file's rules about its servers, outside their entries. */
export interface Rules {
  /** The servers to leave out. */
  readonly leftOut: ReadonlySet<string>
  /** The tools to leave out, by server. */
  readonly exclude: ReadonlyMap<string, readonly string[]>
  /** The only tools to include, by server. */
  readonly include: ReadonlyMap<string, readonly string[]>
  /** The reasons for refusing servers, whose restrictions are not understood. */
  readonly refused: ReadonlyMap<string, readonly string[]>
  /** Warnings for the operator. */
  readonly warnings: readonly string[]
}

/** Collects rules while reading a file. */
interface Collector {
  readonly names: readonly string[]
  leaveOut(name: string): void
  exclude(name: string, tool: string): void
  include(name: string, tools: readonly string[]): void
  /** Refuses one server, or all. */
  refuse(name: string | undefined, path: readonly string[], why: string): void
  warn(path: readonly string[], what: string): void
}

/** Reads a file's rules about its servers, outside their entries. An unknown rule refuses its servers. */
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
  "may restrict the server in a way that the gateway does not know: use include, exclude or disabled of the server instead"

/** Reads the known rules of a host, and returns the rest. */
type Reader = (rest: Fields, rules: Collector) => Fields

const READERS: Readonly<Record<HostForm["host"], Reader>> = {
  mcpServers: readShared,
  "VS Code": readVsCode,
  Codex: (rest) => rest,
  Zed: readZed,
  opencode: readOpencode,
  Goose: readGoose,
}

/** The reason for refusing approvals before calls. */
export const APPROVAL =
  "asks a person before calls, which the gateway does not do: remove it, and let the calling host ask"

/** Reads the rules of Gemini CLI and Claude Code, which both keep servers under `mcpServers`. */
function readShared(rest: Fields, rules: Collector): Fields {
  const { mcp, tools, excludeTools, permissions, allowMCPServers, excludeMCPServers, admin, ...others } = rest
  const { allowedMcpServers, deniedMcpServers, disabledMcpServers, disabledMcpjsonServers, ...more } = others
  const { enabledMcpjsonServers: _, enabledMcpServers: __, enableAllProjectMcpServers: ___, hooks, ...left } = more
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
    rules.warn(["mcp", "serverCommand"], "starts one more server, which is not served: add it to mcpServers")
  for (const key of Object.keys(unknown)) rules.refuse(undefined, ["mcp", key], unknownOfGemini(key))
  const { exclude, confirmationRequired, core: ____, allowed: _____, ...unknownOfTools } = fieldsOf(tools)
  notTheseTools(exclude, ["tools", "exclude"], rules)
  notTheseTools(excludeTools, ["excludeTools"], rules)
  for (const name of confirmationNames(confirmationRequired, rules))
    rules.refuse(name, ["tools", "confirmationRequired"], APPROVAL)
  readHooks(fieldsOf(hooks), rules)
  const unknownPermissions = readPermissions(fieldsOf(permissions), rules)
  return readAdmin(admin, { ...left, tools: unknownOfTools, permissions: unknownPermissions }, rules)
}

/** Events before a call at which Claude Code and Gemini CLI run programs that may deny it. */
const BEFORE_CALLS = ["PreToolUse", "PermissionRequest", "BeforeTool"]

/** Refuses servers whose calls a program may deny. One for all tools is reported, since most only take notes. */
function readHooks(hooks: Fields, rules: Collector): void {
  for (const event of BEFORE_CALLS) {
    const list = hooks[event]
    const matchers = (Array.isArray(list) ? list : []).map((hook) => String(fieldsOf(hook)["matcher"] ?? ""))
    for (const name of matchers.flatMap((matcher) => matchedBy(matcher, rules.names)))
      rules.refuse(name, ["hooks", event], HOOK)
    if (matchers.some((matcher) => /^(?:\.?\*)?$/.test(matcher))) rules.warn(["hooks", event], HOOK)
  }
}

/** Returns the servers that a hook's pattern of tool names is about: the named ones, else all if it is about MCP. */
function matchedBy(matcher: string, names: readonly string[]): readonly string[] {
  const named = names.filter((name) => isNamed(matcher, name))
  return named.length === 0 && /mcp/i.test(matcher) ? names : named
}

const HOOK =
  "runs a program that may deny calls, which the gateway does not do: remove it, and use exclude of the server"

function unknownOfGemini(key: string): string {
  const likely = likelyKey(key, ["allowed", "excluded", "serverCommand"])
  const hint = likely === undefined ? "" : `did you mean "${likely}"? `
  return `is not a known key, and may restrict servers: ${hint}correct or remove it`
}

/** Reads what administrators of Gemini CLI decide: whether there are servers, which ones, and policies in other files. */
function readAdmin(admin: unknown, { policyPaths, adminPolicyPaths, ...rest }: Fields, rules: Collector): Fields {
  const { mcp, ...others } = fieldsOf(admin)
  const { enabled, config, requiredConfig: _ } = fieldsOf(mcp)
  const allowed = Object.keys(fieldsOf(config))
  for (const name of rules.names)
    if (enabled === false || (allowed.length > 0 && !allowed.includes(name))) rules.leaveOut(name)
  for (const [key, paths] of Object.entries({ policyPaths, adminPolicyPaths }))
    if (paths !== undefined && !(Array.isArray(paths) && paths.length === 0))
      rules.refuse(undefined, [key], "names policies in other files, which the gateway does not read: remove it")
  return { ...rest, ...(Object.keys(others).length > 0 && { admin: others }) }
}

/** Returns the servers whose tools Gemini CLI runs only after a confirmation. */
function confirmationNames(list: unknown, { names }: Collector): readonly string[] {
  const tools = Array.isArray(list) ? list.map(String) : []
  return names.filter((name) => tools.some((tool) => prefixesOf(name).some((start) => tool.startsWith(start))))
}

function prefixesOf(server: string): readonly string[] {
  return [`mcp_${server}_`, `mcp__${server}__`, `${server}__`]
}

function onlyThese(list: unknown, path: readonly string[], rules: Collector): void {
  const wanted = serversIn(list, path, rules)
  if (wanted === undefined) return
  for (const name of rules.names) if (!wanted.includes(name)) rules.leaveOut(name)
}

function notThese(list: unknown, path: readonly string[], rules: Collector): void {
  for (const name of serversIn(list, path, rules) ?? []) rules.leaveOut(name)
}

/** Returns the servers in a list of texts, or of objects with `serverName`. */
function serversIn(list: unknown, path: readonly string[], rules: Collector): readonly string[] | undefined {
  if (list === undefined) return undefined
  const names = Array.isArray(list) ? list.map((each) => (isRecord(each) ? each["serverName"] : each)) : [undefined]
  if (names.every((each) => typeof each === "string")) return names
  rules.refuse(undefined, path, "expected a list of servers by name")
  return undefined
}

/** Reads Gemini CLI's excluded tools: `tool`, `server__tool` or `mcp_server_tool`. */
function notTheseTools(list: unknown, path: readonly string[], rules: Collector): void {
  if (list === undefined) return
  if (!Array.isArray(list)) rules.refuse(undefined, path, "expected a list of tools")
  for (const each of Array.isArray(list) ? list : []) {
    const tool = String(each).replace(/\(.*$/s, "")
    for (const name of rules.names) {
      const prefix = prefixesOf(name).find((start) => tool.startsWith(start))
      rules.exclude(name, prefix === undefined ? tool : tool.slice(prefix.length))
    }
  }
}

/**
 * Reads Claude Code's rules: `mcp__server`, `mcp__server__tool`, with `*` as a wildcard in either part. Returns the unknown
 * members.
 */
function readPermissions({ deny, ask, allow: _, ...unknown }: Fields, rules: Collector): Fields {
  const about = (list: unknown, name: string): readonly string[] =>
    (Array.isArray(list) ? list.map(String) : []).flatMap((rule) => toolInRule(rule, name) ?? [])
  for (const name of rules.names) {
    for (const tool of about(deny, name)) rules.exclude(name, tool)
    if (about(ask, name).length > 0) rules.refuse(name, ["permissions", "ask"], APPROVAL)
  }
  return unknown
}

/** Returns the tool that a rule names for a server; `undefined` if the rule concerns other servers. */
function toolInRule(rule: string, name: string): string | undefined {
  const start = `mcp__${name}`
  if (rule === start) return "*"
  if (rule.startsWith(`${start}__`)) return rule.slice(start.length + 2) || "*"
  const [, server = "", tool] = /^mcp__(.*?)(?:__(.*))?$/s.exec(rule) ?? []
  return server.includes("*") && matchesGlob(server, name) ? tool || "*" : undefined
}

function readVsCode(rest: Fields, rules: Collector): Fields {
  const { "chat.mcp.access": access, "chat.mcp.enabled": enabled, sandbox: _, ...more } = rest
  const { "chat.mcp.serverSampling": sampling, ...others } = more
  if (access === "none" || enabled === false) for (const name of rules.names) rules.leaveOut(name)
  else if (access !== undefined && access !== true && access !== "all")
    rules.refuse(
      undefined,
      ["chat.mcp.access"],
      `the gateway cannot apply ${JSON.stringify(access)}: list the servers to serve`,
    )
  if (sampling !== undefined)
    rules.warn(["chat.mcp.serverSampling"], "has no effect in a gateway: use mayAsk of the server")
  return Object.fromEntries(Object.entries(others).filter(([key]) => !key.startsWith("chat.mcp.")))
}

function readZed(rest: Fields, rules: Collector): Fields {
  const { agent, disable_ai, context_server_timeout: timeout, ...left } = rest
  const { tool_permissions, default_profile = "write", profiles } = fieldsOf(agent)
  if (disable_ai === true) for (const name of rules.names) rules.leaveOut(name)
  if (timeout !== undefined)
    rules.warn(["context_server_timeout"], "has no effect in a gateway: use timeout of the servers")
  const { default: general, tools } = fieldsOf(tool_permissions)
  if (general === "deny") for (const name of rules.names) rules.exclude(name, "*")
  if (general === "confirm") rules.warn(["agent", "tool_permissions", "default"], APPROVAL)
  for (const [key, about] of Object.entries(fieldsOf(tools))) readZedTool(key, fieldsOf(about), rules)
  const profile = typeof default_profile === "string" ? fieldsOf(profiles)[default_profile] : undefined
  if (isRecord(profile)) readProfile(profile, rules)
  return left
}

/** Reads a rule about one tool, as `mcp:server:tool`. */
function readZedTool(key: string, { default: mode, always_allow: _, ...others }: Fields, rules: Collector): void {
  const [, server = "", tool = ""] = /^mcp:([^:]+):(.+)$/.exec(key) ?? []
  if (!rules.names.includes(server)) return
  const isFree = (mode === undefined || mode === "allow") && Object.keys(others).length === 0
  if (mode === "deny") rules.exclude(server, tool)
  else if (!isFree) rules.refuse(server, ["agent", "tool_permissions", "tools", key], APPROVAL)
}

/** Reads the default profile of Zed's agent: disabled tools, or the only enabled ones. */
function readProfile({ enable_all_context_servers, context_servers }: Fields, rules: Collector): void {
  for (const name of rules.names) {
    const tools = Object.entries(fieldsOf(fieldsOf(fieldsOf(context_servers)[name])["tools"]))
    const on = tools.filter(([, value]) => value === true).map(([tool]) => tool)
    if (enable_all_context_servers === false) rules.include(name, on)
    for (const [tool, value] of tools) if (value === false) rules.exclude(name, tool)
  }
}

/** Reads opencode's rules: patterns of `server_tool` that allow, deny or ask. */
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

/** Returns the tool pattern within a pattern of `server_tool`; `undefined` if it concerns other servers. */
function toolOf(pattern: string, server: string): string | undefined {
  const star = pattern.indexOf("*")
  const start = `${server.replace(/[^A-Za-z0-9_-]/g, "_")}_`
  if (pattern === server) return "*"
  if (pattern.startsWith(start)) return pattern.slice(start.length) || "*"
  return star >= 0 && start.startsWith(pattern.slice(0, star)) ? pattern.slice(star) : undefined
}

function readGoose(rest: Fields, rules: Collector): Fields {
  const { GOOSE_MODE: mode, GOOSE_ALLOWLIST: allowlist, GOOSE_SEARCH_PATHS: paths, ...left } = rest
  if (mode === "chat") for (const name of rules.names) rules.leaveOut(name)
  else if (mode === "approve" || mode === "smart_approve") rules.warn(["GOOSE_MODE"], APPROVAL)
  if (paths !== undefined) rules.warn(["GOOSE_SEARCH_PATHS"], "has no effect in a gateway: add the folders to PATH")
  if (allowlist !== undefined)
    rules.refuse(undefined, ["GOOSE_ALLOWLIST"], "names a list elsewhere, which the gateway does not read: remove it")
  return left
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}
