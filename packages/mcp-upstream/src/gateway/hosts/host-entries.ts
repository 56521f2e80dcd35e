import { parseEnv } from "node:util"
import { isRecord } from "@x/base"
import type { Fields, HostForm } from "./recognise-host.js"
import { APPROVAL } from "./restrictions.js"
import { withOAuth } from "./sign-in-keys.js"
import type { EntryContext, Variables } from "./variables.js"

/** Converts a host's entry to keys common to all hosts. Variables are already expanded. */
export function toCommonEntry(host: HostForm["host"], entry: Fields, context: EntryContext): Fields {
  const common = CONVERSIONS[host](entry, context)
  return withOAuth(withEnvFile(withSecretsOfCopilot(common, context), context), context)
}

type Convert = (entry: Fields, context: EntryContext) => Fields

const CONVERSIONS: Readonly<Record<HostForm["host"], Convert>> = {
  mcpServers: fromShared,
  "VS Code": fromShared,
  Codex: fromCodex,
  Zed: fromZed,
  opencode: fromOpencode,
  Goose: fromGoose,
}

/** Returns whether an entry is disabled, in any host's notation. */
export function isOff(entry: unknown): boolean {
  return isRecord(entry) && (entry["disabled"] === true || entry["enabled"] === false)
}

/** The longest timeout, one hour, that any host writes in seconds. */
const MOST_SECONDS = 3_600

/** Reads the entries of most hosts. `timeout` is in milliseconds, except in hosts that allow at most an hour in seconds. */
function fromShared({ timeout, ...entry }: Fields): Fields {
  const isClear = typeof timeout === "number" && timeout > MOST_SECONDS
  return isClear ? withLimits(entry, { callMs: timeout }) : { ...entry, ...defined({ timeout }) }
}

/** Adds limits from a host's keys. Limits in the gateway's own notation take precedence. */
function withLimits(entry: Fields, limits: Fields): Fields {
  return Object.keys(limits).length === 0 ? entry : { ...entry, limits: { ...limits, ...fieldsOf(entry["limits"]) } }
}

function fromCodex(entry: Fields, context: EntryContext): Fields {
  const { variables, path } = context
  const { bearer_token_env_var, env_http_headers, env_vars, tools, default_tools_approval_mode, ...others } = entry
  const { startup_timeout_sec, startup_timeout_ms, tool_timeout_sec, auth, ...more } = others
  const { environment_id, experimental_environment = environment_id, ...rest } = more
  const headers = { ...fieldsOf(rest["headers"]), ...fieldsOf(rest["http_headers"]) }
  const named = Object.entries(fieldsOf(env_http_headers)).map(([header, name]) => {
    return [header, variables.need(String(name), [...path, "env_http_headers", header])] as const
  })
  const token =
    bearer_token_env_var === undefined
      ? {}
      : { Authorization: `Bearer ${variables.need(String(bearer_token_env_var), [...path, "bearer_token_env_var"])}` }
  const all = { ...headers, ...Object.fromEntries(named), ...token }
  if (![undefined, "local"].some((each) => each === experimental_environment))
    variables.fault([...path, "environment_id"], 'starts the server on another machine: expected "local"')
  if (![undefined, "oauth"].some((each) => each === auth))
    variables.fault([...path, "auth"], 'uses the sign-in of ChatGPT, which only Codex has: expected "oauth"')
  refuseApprovals({ default_tools_approval_mode, tools }, context)
  const limits = {
    ...secondsAs("connectMs", startup_timeout_sec),
    ...(typeof startup_timeout_ms === "number" && { connectMs: startup_timeout_ms }),
    ...secondsAs("callMs", tool_timeout_sec),
  }
  const { http_headers: _, headers: __, ...kept } = rest
  const env = inheritedEnv(env_vars, context)
  const common = {
    ...kept,
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(Object.keys(env).length > 0 && { env: { ...env, ...fieldsOf(rest["env"]) } }),
  }
  return withLimits(common, limits)
}

/** Reads Codex's list of variables to pass on, each a name, or a name with its source. */
function inheritedEnv(names: unknown, { variables, path }: EntryContext): Readonly<Record<string, string>> {
  const env: Record<string, string> = {}
  for (const each of Array.isArray(names) ? names : []) {
    const { name, source } = isRecord(each) ? each : { name: each, source: undefined }
    if (source === "remote")
      variables.fault([...path, "env_vars"], 'come from another machine: expected the source "local"')
    const value = variables.get(String(name))
    if (value !== undefined) env[String(name)] = value
  }
  return env
}

/** Refuses Codex's approvals before tool calls, since nobody can be asked here. */
function refuseApprovals(
  { default_tools_approval_mode: mode, tools }: Fields,
  { variables, path }: EntryContext,
): void {
  const free = [undefined, "auto", "approve"]
  if (!free.some((each) => each === mode)) variables.fault([...path, "default_tools_approval_mode"], APPROVAL)
  for (const [tool, about] of Object.entries(fieldsOf(tools))) {
    const { approval_mode, ...others } = fieldsOf(about)
    if (!free.some((each) => each === approval_mode))
      variables.fault([...path, "tools", tool, "approval_mode"], APPROVAL)
    for (const key of Object.keys(others))
      variables.fault([...path, "tools", tool, key], "is not a known key, and may restrict the tool: remove it")
  }
}

function fromZed(entry: Fields, { variables, path }: EntryContext): Fields {
  const { source, settings, command, timeout = fieldsOf(command)["timeout"], ...rest } = entry
  const started = isRecord(command)
    ? { command: command["path"] ?? command["cmd"], args: command["args"], env: command["env"] }
    : { command }
  const isExtension = source === "extension" || (started.command === undefined && rest["url"] === undefined)
  if (isExtension)
    variables.fault(path, "is an extension of Zed, which only Zed can start: give its command, or leave it out")
  else if (Object.keys(fieldsOf(settings)).length > 0)
    variables.fault([...path, "settings"], "reach a server only through an extension of Zed: use env or args")
  return withLimits({ ...rest, ...defined(started) }, secondsAs("callMs", timeout))
}

function fromOpencode(entry: Fields, { variables, path }: EntryContext): Fields {
  const { command, type, environment, timeout, ...rest } = entry
  if (typeof command === "string") variables.fault([...path, "command"], "expected a list of texts")
  const [program, ...args] = Array.isArray(command) ? command : []
  const common = {
    ...rest,
    ...defined({ command: program, env: environment, type: type === "local" || type === "remote" ? undefined : type }),
    ...(args.length > 0 && { args }),
  }
  // opencode's timeout limits only tools/list.
  return typeof timeout === "number"
    ? withLimits(common, { requestMs: timeout })
    : { ...common, ...defined({ timeout }) }
}

function fromGoose(entry: Fields, context: EntryContext): Fields {
  const { variables, path } = context
  const { config, ...outer } = entry
  const { type, env_keys, available_tools, timeout, ...rest } = { ...outer, ...fieldsOf(config) }
  if (!["stdio", "sse", "streamable_http"].includes(String(type)))
    variables.fault(path, `is an extension of the type "${String(type)}", which only Goose can start: leave it out`)
  const keys = Array.isArray(env_keys) ? env_keys.map(String) : []
  const secrets = keys.map((name) => {
    const given = fieldsOf(rest["envs"])[name]
    return [name, given ?? needOfGoose(name, variables, [...path, "env_keys"])]
  })
  const tools = Array.isArray(available_tools) && available_tools.length > 0 ? { include: available_tools } : {}
  const { envs, ...kept } = rest
  const env = { ...fieldsOf(envs), ...Object.fromEntries(secrets) }
  return withLimits(
    { ...kept, type, ...tools, ...(Object.keys(env).length > 0 && { env }) },
    secondsAs("callMs", timeout),
  )
}

function needOfGoose(name: string, variables: Variables, path: readonly string[]): string {
  const value = variables.get(name)
  if (value === undefined)
    variables.fault(
      path,
      `the secret "${name}" is in Goose's keyring, which the gateway does not read: set it in the environment`,
    )
  return value ?? ""
}

/** Reads Copilot's secrets: its agents name them directly, with the prefix `COPILOT_MCP_`. */
function withSecretsOfCopilot(entry: Fields, { variables, path }: EntryContext): Fields {
  const replaced = ["env", "headers"].map((key) => {
    const values = Object.entries(fieldsOf(entry[key])).map(([name, value]) => {
      const isSecret = typeof value === "string" && /^COPILOT_MCP_[A-Z0-9_]+$/.test(value)
      return [name, isSecret ? variables.need(value, [...path, key, name]) : value] as const
    })
    return [key, Object.fromEntries(values)] as const
  })
  const given = replaced.filter(([key]) => isRecord(entry[key]))
  return { ...entry, ...Object.fromEntries(given) }
}

/** Adds the variables of an env file, as in VS Code and Cursor; `env` takes precedence. */
function withEnvFile(entry: Fields, { variables, path }: EntryContext): Fields {
  const { envFile, ...rest } = entry
  if (envFile === undefined) return entry
  if (typeof envFile !== "string") {
    variables.fault([...path, "envFile"], "expected a text")
    return rest
  }
  const found = parseEnv(variables.readText(envFile, [...path, "envFile"]))
  return { ...rest, env: { ...found, ...fieldsOf(rest["env"]) } }
}

function secondsAs(name: string, value: unknown): Fields {
  return typeof value === "number" ? { [name]: Math.round(value * 1_000) } : {}
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
