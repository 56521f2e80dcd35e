import { homedir } from "node:os"
import process from "node:process"
import { checkJson } from "@x/agentic-service/adapter"
import { formatPointer, isRecord } from "@x/tool-schemas/json"
import type { UpstreamLimits } from "../upstream.js"

/** What a gateway serves, in the form that hosts have their servers in; as a file, as JSON. */
export interface GatewayConfig {
  /** What the gateway is called. Default `"gateway"`. */
  readonly name?: string
  /** What it is for. Default: nothing. */
  readonly description?: string
  /** Which tools are listed; see the endpoints of `@x/mcp-adapter`. Default `dynamic`. */
  readonly exposure?: "dynamic" | "stable" | "meta"
  /** How resources reach clients; see the endpoints of `@x/mcp-adapter`. Default `both`. */
  readonly states?: "both" | "resources" | "tool" | "omit"
  /** The servers, by the names that their tools begin with. */
  readonly mcpServers: Readonly<Record<string, GatewayServer>>
}

/** One server of a gateway: a command or a URL, as hosts write them, and what we can do with it. */
export interface GatewayServer {
  /** The program of a server that is a command. */
  readonly command?: string
  /** Its arguments. */
  readonly args?: readonly string[]
  /** Its environment. `${NAME}` stands for a variable of ours, here as in every other text. */
  readonly env?: Readonly<Record<string, string>>
  /** Where it runs. */
  readonly cwd?: string
  /** Where a server is that is reached over HTTP. */
  readonly url?: string
  /** Headers of every request to it. */
  readonly headers?: Readonly<Record<string, string>>
  /** How it is spoken to; hosts write it in several ways. Default: `stdio` for a command, `http` for a URL. */
  readonly type?: string
  /** Whether it is left out. Default `false`. */
  readonly disabled?: boolean
  /** What it is for, to whoever follows the link. */
  readonly description?: string
  /** The tools that are taken; a `*` stands for anything. */
  readonly include?: readonly string[]
  /** The tools that are left out. */
  readonly exclude?: readonly string[]
  /** What becomes of a tool whose definition changes. Default `pass`. */
  readonly onChange?: "hold" | "pass"
  /** Whether each call has a connection of its own. Default `false`. */
  readonly ownConnection?: boolean
  /** Whether its tools stand under its name. One server may go without. Default `true`. */
  readonly prefix?: boolean
  /** Which revisions of the protocol are tried. Default `auto`. */
  readonly era?: "auto" | "legacy" | "modern"
  /** Its limits. */
  readonly limits?: Partial<UpstreamLimits>
}

const text = { type: "string" }
const texts = { type: "array", items: text }
const textsByName = { type: "object", additionalProperties: text }
const SERVER = {
  type: "object",
  properties: {
    command: { type: "string", minLength: 1 },
    args: texts,
    env: textsByName,
    cwd: text,
    url: { type: "string", minLength: 1 },
    headers: textsByName,
    type: text,
    disabled: { type: "boolean" },
    description: text,
    include: texts,
    exclude: texts,
    onChange: { enum: ["hold", "pass"] },
    ownConnection: { type: "boolean" },
    prefix: { type: "boolean" },
    era: { enum: ["auto", "legacy", "modern"] },
    limits: { type: "object", additionalProperties: { type: "number", minimum: 0 } },
  },
}
const CONFIG = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    description: text,
    exposure: { enum: ["dynamic", "stable", "meta"] },
    states: { enum: ["both", "resources", "tool", "omit"] },
    mcpServers: { type: "object", additionalProperties: SERVER },
  },
  required: ["mcpServers"],
}

/** A name that hosts have for what we have another for. */
interface Spelling {
  readonly ours: string
  /** @returns The value as it is here; `undefined` where it is none that could be meant. */
  read(value: unknown): unknown
}

const string = (value: unknown): unknown => (typeof value === "string" ? value : undefined)
const list = (value: unknown): unknown => (Array.isArray(value) ? value : undefined)
const opposite = (value: unknown): unknown => (typeof value === "boolean" ? !value : undefined)

/** Of Gemini CLI, Windsurf, Copilot CLI, Cline, Codex and others. */
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  httpUrl: { ours: "url", read: string },
  serverUrl: { ours: "url", read: string },
  transport: { ours: "type", read: string },
  transportType: { ours: "type", read: string },
  tools: { ours: "include", read: list },
  includeTools: { ours: "include", read: list },
  excludeTools: { ours: "exclude", read: list },
  disabledTools: { ours: "exclude", read: list },
  enabled: { ours: "disabled", read: opposite },
}

/** What hosts write beside, and what says nothing to a gateway. */
const HOSTS_OWN: readonly string[] = ["alwaysAllow", "autoApprove", "timeout", "envFile", "oauth", "trust", "gallery"]

/** Where hosts take numbers for texts. */
const TEXTS = ["args", "env", "headers"]

/** What was read, and what is wrong with it. */
export interface ReadConfig {
  /** The configuration; absent where it cannot be used. */
  readonly config?: GatewayConfig
  /** What is wrong so that it cannot be used. */
  readonly errors: readonly string[]
  /** What will not do what its writer may think. */
  readonly warnings: readonly string[]
}

/**
 * Looks at a configuration: takes the forms that hosts have their servers in, puts in variables, leaves out servers that are
 * disabled, and says all that is wrong.
 *
 * @param environment - Where variables are looked up. Default: this process's.
 */
export async function parseGatewayConfig(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ReadConfig> {
  const unset: string[] = []
  const variables: Variables = {
    get: (name) => environment[name] ?? (name === "userHome" ? homedir() : undefined),
    unset(name, path) {
      unset.push(toUnset(name, path))
      return ""
    },
  }
  const given = putIn(toOurForm(value), [], variables)
  const checked = await checkJson(CONFIG, given)
  if (!checked.ok) {
    const errors = checked.issues.map(({ path, message }) => `${formatPointer(path) || "/"}: ${message}`)
    return { errors: [...errors, ...unset], warnings: [] }
  }
  // It has just been checked.
  const config = given as GatewayConfig
  const errors = [...faultsOf(config), ...unset]
  return { ...(errors.length === 0 && { config }), errors, warnings: warningsOf(config) }
}

function toUnset(name: string, path: readonly string[]): string {
  const why = name.includes(":") ? "is known to a host alone: name one of the environment" : "is not set"
  return `${formatPointer(path)}: the variable "${name}" ${why}`
}

/** What is put in for variables. */
interface Variables {
  get(name: string): string | undefined
  /** Is told of one that is not there. @returns What stands in its place. */
  unset(name: string, path: readonly string[]): string
}

/** `${NAME}`, `${env:NAME}`, `${NAME:-else}`; and what only a host can put in, which must not be taken for a text. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*|(?:input|command|config):[^}]*)(?::-([^}]*))?\}/g

function putIn(value: unknown, path: readonly string[], variables: Variables): unknown {
  if (typeof value === "string") {
    return value.replace(
      VARIABLE,
      (_, name: string, otherwise?: string) => variables.get(name) ?? otherwise ?? variables.unset(name, path),
    )
  }
  if (Array.isArray(value)) return value.map((item, index) => putIn(item, [...path, String(index)], variables))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, putIn(member, [...path, key], variables)]),
  )
}

function faultsOf({ mcpServers }: GatewayConfig): readonly string[] {
  const servers = Object.entries(mcpServers)
  const ways = servers.flatMap(([name, { command, url }]) => {
    const at = `/mcpServers/${name}`
    if ((command === undefined) === (url === undefined)) return [`${at}: expected either "command" or "url"`]
    return url === undefined || /^https?:\/\/./i.test(url) ? [] : [`${at}/url: expected a URL of http or https`]
  })
  const plain = servers.filter(([, { prefix }]) => prefix === false).map(([name]) => `"${name}"`)
  return plain.length > 1 ? [...ways, `${plain.join(" and ")} go without a prefix: expected one at most`] : ways
}

function warningsOf(config: GatewayConfig): readonly string[] {
  const known = new Set([...Object.keys(SERVER.properties), ...HOSTS_OWN])
  const strange = Object.entries(config.mcpServers).flatMap(([name, server]) => {
    const keys = Object.keys(server)
    const unknown = keys
      .filter((key) => !known.has(key))
      .map((key) => `/mcpServers/${name}/${key}: nothing is known by that name`)
    const ignored = keys
      .filter((key) => HOSTS_OWN.includes(key))
      .map((key) => `/mcpServers/${name}/${key}: says nothing to a gateway`)
    return [...unknown, ...ignored]
  })
  const empty = Object.keys(config.mcpServers).length === 0 ? ["/mcpServers: there is no server"] : []
  const both = "servers" in config ? ['/servers: says nothing beside "mcpServers"'] : []
  return [...strange, ...empty, ...both]
}

/** Makes of what a host has its servers in what a gateway has, without those that are disabled. */
function toOurForm(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { servers, ...rest } = value
  const given = "mcpServers" in value ? value : "servers" in value ? { ...rest, mcpServers: servers } : value
  const { mcpServers } = given
  if (!isRecord(mcpServers)) return given
  const read = Object.entries(mcpServers).map(([name, server]) => [name, toServer(server)] as const)
  return { ...given, mcpServers: Object.fromEntries(read.filter(([, server]) => !isDisabled(server))) }
}

function isDisabled(server: unknown): boolean {
  return isRecord(server) && server["disabled"] === true
}

function toServer(server: unknown): unknown {
  if (!isRecord(server)) return server
  const renamed = Object.entries(server).map(([key, value]): readonly [string, unknown] => {
    const spelling = Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : undefined
    const read = spelling === undefined || spelling.ours in server ? undefined : spelling.read(value)
    return spelling === undefined || read === undefined ? [key, value] : [spelling.ours, read]
  })
  return Object.fromEntries(renamed.map(([key, value]) => [key, TEXTS.includes(key) ? toTexts(value) : value]))
}

/** A port is often written as a number, and what is not to be set as `null`. */
function toTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toText)
  if (!isRecord(value)) return value
  const set = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(set.map(([key, member]) => [key, toText(member)]))
}

function toText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value
}
