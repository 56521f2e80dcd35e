import { parseEnv } from "node:util"
import { isRecord } from "@x/tool-schemas/json"
import type { Fields, HostForm } from "./recognise-host.js"
import type { Variables } from "./variables.js"

/** Where an entry stands, and what takes its faults. */
export interface EntryContext {
  /** Puts in values, takes faults. */
  readonly variables: Variables
  /** Where the entry stands. */
  readonly path: readonly string[]
}

/** Makes of an entry as its host writes it one with keys that are common to hosts. Its variables are put in already. */
export function toCommonEntry(host: HostForm["host"], entry: Fields, context: EntryContext): Fields {
  const common = CONVERSIONS[host](entry, context)
  return withOAuth(withEnvFile(withSecretsOfCopilot(common, context), context), context)
}

type Convert = (entry: Fields, context: EntryContext) => Fields

const CONVERSIONS: Readonly<Record<HostForm["host"], Convert>> = {
  mcpServers: (entry) => entry,
  "VS Code": (entry) => entry,
  Codex: fromCodex,
  Zed: fromZed,
  opencode: fromOpencode,
  Goose: fromGoose,
}

/** Returns whether an entry is switched off, as any host says it. */
export function isOff(entry: unknown): boolean {
  return isRecord(entry) && (entry["disabled"] === true || entry["enabled"] === false)
}

function fromCodex(entry: Fields, context: EntryContext): Fields {
  const { variables, path } = context
  const { bearer_token_env_var, env_http_headers, env_vars, tools, default_tools_approval_mode, ...others } = entry
  const { startup_timeout_sec, startup_timeout_ms, tool_timeout_sec, environment_id, ...rest } = others
  const headers = { ...fieldsOf(rest["headers"]), ...fieldsOf(rest["http_headers"]) }
  const named = Object.entries(fieldsOf(env_http_headers)).map(([header, name]) => {
    return [header, variables.need(String(name), [...path, "env_http_headers", header])] as const
  })
  const token =
    bearer_token_env_var === undefined
      ? {}
      : { Authorization: `Bearer ${variables.need(String(bearer_token_env_var), [...path, "bearer_token_env_var"])}` }
  const all = { ...headers, ...Object.fromEntries(named), ...token }
  const inherited = Array.isArray(env_vars) ? env_vars.map((each) => String(isRecord(each) ? each["name"] : each)) : []
  const env = inherited.flatMap((name) => (variables.get(name) === undefined ? [] : [[name, variables.get(name)]]))
  if (environment_id !== undefined && environment_id !== "local")
    variables.fault([...path, "environment_id"], 'runs elsewhere: expected "local"')
  refuseApprovals({ default_tools_approval_mode, tools }, context)
  const limits = {
    ...secondsAs("connectMs", startup_timeout_sec),
    ...(typeof startup_timeout_ms === "number" && { connectMs: startup_timeout_ms }),
    ...secondsAs("callMs", tool_timeout_sec),
  }
  const { http_headers: _, headers: __, ...kept } = rest
  return {
    ...kept,
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(env.length > 0 && { env: { ...Object.fromEntries(env), ...fieldsOf(rest["env"]) } }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}

/** Codex can ask a person before it calls a tool; there is nobody to ask here. */
function refuseApprovals(
  { default_tools_approval_mode: mode, tools }: Fields,
  { variables, path }: EntryContext,
): void {
  const free = [undefined, "auto", "approve"]
  const why = "asks a person before calls, which is not done here: leave it out, and let the host that calls ask"
  if (!free.some((each) => each === mode)) variables.fault([...path, "default_tools_approval_mode"], why)
  for (const [tool, about] of Object.entries(fieldsOf(tools))) {
    const { approval_mode, ...others } = fieldsOf(about)
    if (!free.some((each) => each === approval_mode)) variables.fault([...path, "tools", tool, "approval_mode"], why)
    for (const key of Object.keys(others)) variables.fault([...path, "tools", tool, key], "is not known")
  }
}

function fromZed(entry: Fields, { variables, path }: EntryContext): Fields {
  const { source, settings, command, ...rest } = entry
  const started = isRecord(command)
    ? { command: command["path"] ?? command["cmd"], args: command["args"], env: command["env"] }
    : { command }
  const isExtension = source === "extension" || (started.command === undefined && rest["url"] === undefined)
  if (isExtension)
    variables.fault(path, "is an extension of Zed, which alone can start it: give its command, or leave it out")
  else if (Object.keys(fieldsOf(settings)).length > 0)
    variables.fault([...path, "settings"], "are passed on by an extension of Zed alone: use env or args")
  return { ...rest, ...defined(started) }
}

function fromOpencode(entry: Fields, { variables, path }: EntryContext): Fields {
  const { command, type, environment, ...rest } = entry
  if (typeof command === "string") variables.fault([...path, "command"], "expected a list of texts")
  const [program, ...args] = Array.isArray(command) ? command : []
  return {
    ...rest,
    ...defined({ command: program, env: environment, type: type === "local" || type === "remote" ? undefined : type }),
    ...(args.length > 0 && { args }),
  }
}

function fromGoose(entry: Fields, context: EntryContext): Fields {
  const { variables, path } = context
  const { config, ...outer } = entry
  const { type, env_keys, available_tools, timeout, ...rest } = { ...outer, ...fieldsOf(config) }
  if (!["stdio", "sse", "streamable_http"].includes(String(type)))
    variables.fault(path, `is an extension of the type "${String(type)}", which Goose alone has: leave it out`)
  const keys = Array.isArray(env_keys) ? env_keys.map(String) : []
  const secrets = keys.map((name) => {
    const given = fieldsOf(rest["envs"])[name]
    return [name, given ?? needOfGoose(name, variables, [...path, "env_keys"])]
  })
  const tools = Array.isArray(available_tools) && available_tools.length > 0 ? { include: available_tools } : {}
  const { envs, ...kept } = rest
  const env = { ...fieldsOf(envs), ...Object.fromEntries(secrets) }
  return {
    ...kept,
    type,
    ...tools,
    ...(Object.keys(env).length > 0 && { env }),
    ...(typeof timeout === "number" && { limits: { callMs: timeout * 1_000 } }),
  }
}

function needOfGoose(name: string, variables: Variables, path: readonly string[]): string {
  const value = variables.get(name)
  if (value === undefined)
    variables.fault(path, `the secret "${name}" is kept by Goose alone: set it in the environment`)
  return value ?? ""
}

/** Copilot's agents name a secret by its name alone, which begins with `COPILOT_MCP_`. */
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

/** VS Code and Cursor take further variables from a file; those of `env` win. */
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

/** How hosts name what a sign-in takes. */
const OAUTH: Readonly<Record<string, "clientId" | "clientSecret" | "scope" | "callbackPort">> = {
  clientId: "clientId",
  client_id: "clientId",
  CLIENT_ID: "clientId",
  clientSecret: "clientSecret",
  client_secret: "clientSecret",
  CLIENT_SECRET: "clientSecret",
  scope: "scope",
  scopes: "scope",
  callbackPort: "callbackPort",
}

/** Reads what hosts say of a sign-in, under `oauth`, `auth`, or, as Codex does, `scopes`. */
function withOAuth(entry: Fields, { variables, path }: EntryContext): Fields {
  const { oauth, auth, scopes, ...rest } = entry
  const given = oauth ?? auth
  const key = oauth === undefined ? "auth" : "oauth"
  if (given === undefined && scopes === undefined) return entry
  if (given === false) return { ...rest, oauth: false }
  if (given !== undefined && given !== true && !isRecord(given)) {
    variables.fault([...path, key], "expected an object, or false")
    return rest
  }
  const { enabled = true, ...fields } = fieldsOf(given)
  const read = Object.entries({ ...fields, ...(scopes !== undefined && { scopes }) }).flatMap(([name, value]) => {
    const ours = Object.hasOwn(OAUTH, name) ? OAUTH[name] : undefined
    if (ours === undefined) variables.fault([...path, key, name], "is not known of a sign-in: remove it")
    return ours === undefined ? [] : [[ours, Array.isArray(value) ? value.join(" ") : value]]
  })
  return { ...rest, oauth: enabled === false ? false : Object.fromEntries(read) }
}
