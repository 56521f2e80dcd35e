import { readFile } from "node:fs/promises"
import process from "node:process"
import { checkJson } from "@x/agentic-service/adapter"
import { formatPointer } from "@x/tool-schemas/json"
import type { UpstreamLimits } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"

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

/** What hosts write into the same places, and what says nothing to a gateway. */
const HOSTS_OWN = [
  "alwaysAllow",
  "autoApprove",
  "timeout",
  "transport",
  "transportType",
  "envFile",
  "tools",
  "enabled",
  "oauth",
]

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
 * Looks at a configuration: takes `mcpServers`, or `servers` as some hosts call it, puts in variables, and says all that is wrong.
 *
 * @param environment - Where variables are looked up. Default: this process's.
 */
export async function parseGatewayConfig(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ReadConfig> {
  const missing = new Set<string>()
  const given = putIn(toOurForm(value), environment, missing)
  const checked = await checkJson(CONFIG, given)
  const unset = [...missing].map((name) => `the variable "${name}" is not set`)
  if (!checked.ok) {
    const errors = checked.issues.map(({ path, message }) => `${formatPointer(path) || "/"}: ${message}`)
    return { errors: [...errors, ...unset], warnings: [] }
  }
  // It has just been checked.
  const config = given as GatewayConfig
  const errors = [...faultsOf(config), ...unset]
  return { ...(errors.length === 0 && { config }), errors, warnings: warningsOf(config) }
}

/**
 * Reads a configuration from a file.
 *
 * @throws UpstreamError `invalid_config` where there is none that can be used, with all that is wrong.
 */
export async function readGatewayConfig(file: string): Promise<GatewayConfig> {
  const { config, errors } = await parseGatewayConfig(await readJson(file))
  if (config !== undefined) return config
  throw new UpstreamError(
    "invalid_config",
    [`"${file}" cannot be used:`, ...errors.map((each) => `- ${each}`)].join("\n"),
  )
}

/** Reads a file of JSON. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"))
  } catch (cause) {
    throw toFileError(file, cause)
  }
}

function toFileError(file: string, cause: unknown): UpstreamError {
  // What the parser says has a part of the file in it, and there are secrets in such files.
  if (cause instanceof SyntaxError)
    return new UpstreamError("invalid_config", `"${file}" is no JSON${placeIn(cause.message)}`)
  const why = cause instanceof Error ? cause.message : String(cause)
  return new UpstreamError("invalid_config", `"${file}" cannot be read: ${why}`, { cause })
}

function placeIn(message: string): string {
  if (/end of JSON input/.test(message)) return ": it ends too early"
  const position = /position (\d+)/.exec(message)?.[1]
  return position === undefined ? "" : `: look at character ${Number(position) + 1}`
}

function toOurForm(value: unknown): unknown {
  if (typeof value !== "object" || value === null || "mcpServers" in value || !("servers" in value)) return value
  const { servers, ...rest } = value
  return { ...rest, mcpServers: servers }
}

/** Puts variables in: `${NAME}`, `${env:NAME}`, `${NAME:-else}`. */
function putIn(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  missing: Set<string>,
): unknown {
  if (typeof value === "string") {
    return value.replace(
      /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
      (_, name: string, otherwise?: string) => {
        const found = environment[name] ?? otherwise
        if (found === undefined) missing.add(name)
        return found ?? ""
      },
    )
  }
  if (Array.isArray(value)) return value.map((item) => putIn(item, environment, missing))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, putIn(member, environment, missing)]))
}

function faultsOf({ mcpServers }: GatewayConfig): readonly string[] {
  const servers = Object.entries(mcpServers).filter(([, { disabled }]) => disabled !== true)
  const ways = servers.flatMap(([name, { command, url }]) => {
    const at = `/mcpServers/${name}`
    if ((command === undefined) === (url === undefined)) return [`${at}: expected either "command" or "url"`]
    return url === undefined || /^https?:\/\/./.test(url) ? [] : [`${at}/url: expected a URL of http or https`]
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
  return [...strange, ...empty]
}
