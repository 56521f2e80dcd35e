import process from "node:process"
import { checkJson } from "@x/agentic-service/adapter"
import { formatPointer, isRecord } from "@x/base"
import { createRedact } from "../trust/redact.js"
import { askInputs, type ConfigInput } from "./ask-inputs.js"
import { perCallerFaults } from "./caller-credentials.js"
import { checkProfiles } from "./check-profiles.js"
import {
  GATEWAY_KEYS,
  GATEWAY_SCHEMA,
  type GatewayConfig,
  type GatewayServer,
  type RefusedServer,
  SERVER_KEYS,
  SERVER_SCHEMA,
} from "./gateway-config.js"
import { expandEntry, expandIn } from "./hosts/expand-entry.js"
import { isOff, toCommonEntry } from "./hosts/host-entries.js"
import { type Fields, type HostForm, type KnownHost, recogniseHost } from "./hosts/recognise-host.js"
import { type Rules, readRules } from "./hosts/restrictions.js"
import { readKeys } from "./hosts/server-keys.js"
import { createVariables, type Values } from "./hosts/variables.js"
import { likelyKey } from "./likely-key.js"
import { oauthFaults } from "./oauth-client.js"

/** A parsed configuration with its faults. */
export interface ReadConfig {
  /** The servers to serve; absent if the whole file is unusable. */
  readonly config?: GatewayConfig
  /** The refused servers; the others are served. */
  readonly refused: readonly RefusedServer[]
  /** Faults of the whole file, which prevent serving. */
  readonly errors: readonly string[]
  /** Parts that may not do what their author expects. */
  readonly warnings: readonly string[]
}

/** Inputs from outside the file. */
export interface ReadOptions {
  /** The environment variables. Default: this process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The value of `${workspaceFolder}`. Default: the current folder. */
  readonly workspace?: string
  /** The host that wrote the file, if its variables are never written `$NAME`. Default: any host. */
  readonly host?: KnownHost
  /**
   * Asks a person for an input that the file declares; resolves with `undefined` if nobody can be asked. Default: nobody is
   * asked.
   */
  readonly ask?: (input: ConfigInput) => Promise<string | undefined>
}

/**
 * Parses a configuration in any host's format, expands variables, and leaves out disabled servers. Refuses a server that is
 * invalid, or whose restrictions are not understood; serves the others.
 *
 * @example
 * ```ts
 * import { parseGatewayConfig } from "@x/mcp-upstream/node"
 *
 * const docs = { url: "https://docs.example/mcp", headers: { Authorization: "Bearer ${DOCS_TOKEN}" } }
 * const { config, errors } = await parseGatewayConfig({ mcpServers: { docs } }, { environment: { DOCS_TOKEN: "secret" } })
 * console.log(config?.mcpServers["docs"]?.headers, errors) // { Authorization: 'Bearer secret' } []
 * ```
 */
export async function parseGatewayConfig(value: unknown, options: ReadOptions = {}): Promise<ReadConfig> {
  const { environment = process.env, workspace = process.cwd(), ask, host } = options
  const form = recogniseHost(value, { workspace, host })
  if (typeof form === "string") return { refused: [], errors: [form], warnings: [] }
  const isOurs = form.host === "mcpServers" || form.host === "VS Code"
  const rules = readRules(isOurs ? { ...form, rest: withoutOwn(form.rest) } : form)
  const wanted = Object.entries(form.servers).filter(([name, entry]) => !isOff(entry) && !rules.leftOut.has(name))
  const inputs = await askInputs(wanted, form.inputs, { environment, ask })
  const values: Values = { environment, workspace, inputs }
  const own = isOurs ? ownFields(form.rest, form, values) : NOTHING
  const checked = await checkJson(GATEWAY_SCHEMA, own.fields)
  const profiles = checkProfiles(own.fields["profiles"], form.servers)
  const faults = checked.ok ? tokenFaults(own.fields) : toErrors(checked.issues, [])
  // Each unknown key is reported with the likely intended one.
  const errors = [...own.faults, ...misspelt(form, isOurs), ...(profiles.errors.length > 0 ? profiles.errors : faults)]
  if (errors.length > 0) return { refused: [], errors, warnings: [] }
  const read = await Promise.all(wanted.map(([name, entry]) => readServer({ name, entry, form, rules }, values)))
  const single = onlyFirst(read)
  const served = single.flatMap(({ name, server }) => (server === undefined ? [] : [[name, server] as const]))
  const refused = single.flatMap(({ name, server, reasons }) =>
    server === undefined ? [{ name, reasons, ...toShape(form.servers[name]) }] : [],
  )
  return {
    config: {
      // The value was just checked.
      ...(own.fields as Partial<GatewayConfig>),
      ...(refused.length > 0 && { refused }),
      mcpServers: Object.fromEntries(served),
    },
    refused: refused.map(({ name, reasons }) => ({ name, reasons })),
    errors: [],
    warnings: [
      ...(form.warnings ?? []),
      ...profiles.warnings,
      ...rules.warnings,
      ...single.flatMap(({ warnings }) => warnings),
      ...(wanted.length === 0 ? [`${formatPointer(form.at)}: it names no server to serve`] : []),
    ],
  }
}

/** Removes the gateway's own fields, which are no rules of a host. */
function withoutOwn(rest: Fields): Fields {
  return Object.fromEntries(Object.entries(rest).filter(([key]) => !GATEWAY_KEYS.includes(key)))
}

interface OwnFields {
  readonly fields: Readonly<Record<string, unknown>>
  readonly faults: readonly string[]
}

const NOTHING: OwnFields = { fields: {}, faults: [] }

/** Reads the gateway's own fields. Callers' tokens are usually variables. */
function ownFields(rest: Readonly<Record<string, unknown>>, { dialect }: HostForm, values: Values): OwnFields {
  const variables = createVariables(dialect, values)
  const found = GATEWAY_KEYS.filter((key) => key in rest)
  const fields = found.map((key) => [
    key,
    key === "callers" ? expandIn(rest[key], [key], { variables, script: false }) : rest[key],
  ])
  return { fields: Object.fromEntries(fields), faults: variables.faults }
}

/** The gateway's own fields that decide who may see what. Under another name, they must not be ignored. */
const RESTRICTING = ["callers", "profiles"]

/** Finds fields that are probably meant to restrict who may see what, but would have no effect. */
function misspelt({ rest, host }: HostForm, isOurs: boolean): readonly string[] {
  if (!isOurs)
    return "callers" in rest ? [`/callers: has no effect in a file of ${host}: use a file with "mcpServers"`] : []
  return Object.entries(rest).flatMap(([key, value]) => {
    const likely =
      GATEWAY_KEYS.includes(key) || !isRecord(value) ? undefined : likelyKey(key.toLowerCase(), RESTRICTING)
    return likely === undefined ? [] : [`${formatPointer([key])}: is not a known key: did you mean "${likely}"?`]
  })
}

/** Returns the parts of a refused entry that decide whether and how it is listed. */
function toShape(entry: unknown): Omit<RefusedServer, "name" | "reasons"> {
  const { as, perCaller } = isRecord(entry) ? entry : {}
  return { ...(typeof as === "string" && as !== "" && { as }), ...(perCaller !== undefined && { perCaller: true }) }
}

/** Finds tokens shared by two callers. */
function tokenFaults({ callers }: Readonly<Record<string, unknown>>): readonly string[] {
  const tokens = Object.values(Object(callers)).map((caller) => Object(caller)["token"])
  return new Set(tokens).size === tokens.length
    ? []
    : ["/callers: two callers have the same token: give each caller another one"]
}

/** The result of reading one entry. */
interface ReadServer {
  readonly name: string
  /** Absent if the entry is refused. */
  readonly server?: GatewayServer
  readonly reasons: readonly string[]
  readonly warnings: readonly string[]
}

interface Entry {
  readonly name: string
  readonly entry: unknown
  readonly form: HostForm
  readonly rules: Rules
}

async function readServer({ name, entry, form, rules }: Entry, values: Values): Promise<ReadServer> {
  const path = [...form.at, name]
  if (name === "") return { name, reasons: [`${formatPointer(path)}: its name is empty: give it one`], warnings: [] }
  if (!isRecord(entry)) return { name, reasons: [`${formatPointer(path)}: expected an object`], warnings: [] }
  const { fields, variables, secrets } = expandEntry(entry, { dialect: form.dialect, values, path })
  const written = withoutOlderUrl(fields)
  const common = toCommonEntry(form.host, written, { variables, path })
  const { server, ignored } = readKeys(common, { known: SERVER_KEYS, variables, path })
  const given = withRules(toTexts(server), name, rules)
  const checked = await checkJson(SERVER_SCHEMA, given)
  // The value was just checked; a faulty one is refused.
  const read = given as GatewayServer
  const reasons = [
    ...(rules.refused.get(name) ?? []),
    ...variables.faults,
    ...(checked.ok ? [...wayFaults(read, path), ...credentialFaults(read, path)] : toErrors(checked.issues, path)),
  ]
  if (reasons.length > 0) return { name, reasons: [...new Set(reasons)].map(createRedact(secrets)), warnings: [] }
  const warnings = ignored.map((key) => `${formatPointer([...path, key])}: has no effect in a gateway`)
  return { name, server: read, reasons, warnings }
}

/** Removes `url` beside `httpUrl`, as Gemini CLI does. */
function withoutOlderUrl({ url, ...rest }: Fields): Fields {
  return url === undefined || rest["httpUrl"] !== undefined ? rest : { url, ...rest }
}

/** The fields in which hosts accept numbers as texts. */
const TEXTS = ["args", "env", "headers"]

function toTexts(server: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(server).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, TEXTS.includes(key) ? textsOf(value) : value]))
}

/** Converts numbers, such as ports, to texts, and drops values that are `null`. */
function textsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toText)
  if (!isRecord(value)) return value
  const set = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(set.map(([key, member]) => [key, toText(member)]))
}

function toText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value
}

function withRules(server: Readonly<Record<string, unknown>>, name: string, { exclude, include }: Rules): unknown {
  const [without, only] = [exclude.get(name), include.get(name)]
  const { include: own, exclude: before } = server
  const wanted = Array.isArray(own) && only !== undefined ? own.filter((tool) => only.includes(String(tool))) : only
  return {
    ...server,
    ...(wanted !== undefined && { include: wanted }),
    ...(without !== undefined && { exclude: [...(Array.isArray(before) ? before : []), ...without] }),
  }
}

function credentialFaults(server: GatewayServer, path: readonly string[]): readonly string[] {
  const inOAuth = oauthFaults(server).map((fault) => `${formatPointer([...path, "oauth"])}: ${fault}`)
  return [...perCallerFaults(server).map((fault) => `${formatPointer(path)}: ${fault}`), ...inOAuth]
}

const TYPES = /^(stdio|local|http|https|sse|remote|streamable[-_]?http)$/i

function wayFaults({ command, url, type }: GatewayServer, path: readonly string[]): readonly string[] {
  const at = formatPointer(path)
  if ((command === undefined) === (url === undefined)) return [`${at}: expected either "command" or "url"`]
  if (type !== undefined && !TYPES.test(type))
    return [`${at}/type: ${JSON.stringify(type)} is not a known transport: expected "stdio", "http" or "sse"`]
  const isUrl = url === undefined || (/^https?:\/\/./i.test(url) && URL.canParse(url))
  return isUrl ? [] : [`${at}/url: expected a URL of http or https`]
}

/** Refuses a server whose name is taken, or that is a second one without a prefix; the first keeps its place. */
function onlyFirst(read: readonly ReadServer[]): readonly ReadServer[] {
  const plain = read.find(({ server }) => server?.prefix === false)
  const holders = new Map<string, string>()
  return read.map((each) => {
    const { name, server } = each
    if (server === undefined || each === plain) return each
    const refuse = (why: string): ReadServer => ({ name, reasons: [why], warnings: [] })
    if (server.prefix === false)
      return refuse(`only one server may have "prefix": false, and "${plain?.name}" already has it: remove it here`)
    const holder = holders.get(server.as ?? name)
    if (holder !== undefined)
      return refuse(`its prefix "${server.as ?? name}" belongs to "${holder}": set "as" to another one`)
    holders.set(server.as ?? name, name)
    return each
  })
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function toErrors(issues: readonly Issue[], at: readonly string[]): string[] {
  return issues.map(({ path, message }) => `${formatPointer([...at, ...path.map(String)]) || "/"}: ${message}`)
}
