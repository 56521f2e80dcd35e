import process from "node:process"
import { checkJson } from "@x/agentic-service/adapter"
import { formatPointer, isRecord } from "@x/tool-schemas/json"
import {
  GATEWAY_KEYS,
  GATEWAY_SCHEMA,
  type GatewayConfig,
  type GatewayServer,
  SERVER_KEYS,
  SERVER_SCHEMA,
} from "./gateway-config.js"
import { isOff, toCommonEntry } from "./hosts/host-entries.js"
import { type HostForm, recogniseHost } from "./hosts/recognise-host.js"
import { type Rules, readRules } from "./hosts/restrictions.js"
import { readKeys } from "./hosts/server-keys.js"
import { createVariables, inputsIn, inputVariable, type Values, type Variables } from "./hosts/variables.js"

/** What was read, and what is wrong with it. */
export interface ReadConfig {
  /** The servers that can be served; absent if the whole file cannot be used. */
  readonly config?: GatewayConfig
  /** The servers that are refused; the others are served. */
  readonly refused: readonly RefusedServer[]
  /** What is wrong with the file as a whole, so that nothing can be served. */
  readonly errors: readonly string[]
  /** What will not do what its writer may think. */
  readonly warnings: readonly string[]
}

/** A server that is not served because of what its file says of it. */
export interface RefusedServer {
  /** Its name. */
  readonly name: string
  /** What is wrong, each with its place in the file. */
  readonly reasons: readonly string[]
}

/** What reading a configuration takes from outside the file. */
export interface ReadOptions {
  /** Where variables are looked up. Default: this process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The folder that `${workspaceFolder}` stands for. Default: where this process runs. */
  readonly workspace?: string
  /** Asks for an input that the file declares; `undefined` if nobody can be asked. Default: nobody is asked. */
  readonly ask?: (input: ConfigInput) => Promise<string | undefined>
}

/** An input that a file declares, as VS Code does. */
export interface ConfigInput {
  /** Its id. */
  readonly id: string
  /** What it is for, to whoever is asked. */
  readonly description: string
  /** Whether what is typed must not be shown. */
  readonly password: boolean
  /** The value that is suggested. */
  readonly suggested?: string
  /** The values to choose from. */
  readonly options?: readonly string[]
}

/**
 * Reads a configuration: takes the forms that hosts have their servers in, puts in variables, and leaves out servers that are
 * disabled. A server that cannot be served, or is restricted in a way that is not understood, is refused by name; the others
 * are served.
 */
export async function parseGatewayConfig(value: unknown, options: ReadOptions = {}): Promise<ReadConfig> {
  const { environment = process.env, workspace = process.cwd(), ask } = options
  const form = recogniseHost(value, workspace)
  if (typeof form === "string") return { refused: [], errors: [form], warnings: [] }
  const own = form.host === "mcpServers" || form.host === "VS Code" ? ownFields(form.rest) : {}
  const checked = await checkJson(GATEWAY_SCHEMA, own)
  if (!checked.ok) return { refused: [], errors: toErrors(checked.issues, []), warnings: [] }
  const rules = readRules(form)
  const wanted = Object.entries(form.servers).filter(([name, entry]) => !isOff(entry) && !rules.leftOut.has(name))
  const inputs = await askInputs(wanted, form.inputs, { environment, ask })
  const values: Values = { environment, workspace, inputs }
  const read = await Promise.all(wanted.map(([name, entry]) => readServer({ name, entry, form, rules }, values)))
  const single = onlyFirst(read)
  const served = single.flatMap(({ name, server }) => (server === undefined ? [] : [[name, server] as const]))
  return {
    // It has just been checked.
    config: { ...(own as Partial<GatewayConfig>), mcpServers: Object.fromEntries(served) },
    refused: single.filter(({ server }) => server === undefined).map(({ name, reasons }) => ({ name, reasons })),
    errors: [],
    warnings: [
      ...(form.warnings ?? []),
      ...rules.warnings,
      ...single.flatMap(({ warnings }) => warnings),
      ...(wanted.length === 0 ? [`${formatPointer(form.at)}: there is no server`] : []),
    ],
  }
}

function ownFields(rest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(GATEWAY_KEYS.flatMap((key) => (key in rest ? [[key, rest[key]]] : [])))
}

/** What came of one entry. */
interface ReadServer {
  readonly name: string
  /** Absent if it is refused. */
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
  const refuse = (reasons: readonly string[]): ReadServer => ({ name, reasons, warnings: [] })
  if (!isRecord(entry)) return refuse([`${formatPointer(path)}: expected an object`])
  const local: Values = form.host === "Goose" ? withOwn(entry["envs"], values) : values
  const variables = createVariables(form.dialect, local)
  const put = Object.entries(entry).map(([key, value]) => {
    const script = key === "args" && isShell(entry["command"])
    return [key, putIn(value, [...path, key], { variables, script })] as const
  })
  const common = toCommonEntry(form.host, Object.fromEntries(put), { variables, path })
  const { server, ignored } = readKeys(common, { known: SERVER_KEYS, variables, path })
  const given = withRules(toTexts(server), name, rules)
  const checked = await checkJson(SERVER_SCHEMA, given)
  // It has just been checked; where it is wrong, nothing comes of it.
  const read = given as GatewayServer
  const reasons = [
    ...(rules.refused.get(name) ?? []),
    ...variables.faults,
    ...(checked.ok ? wayFaults(read, path) : toErrors(checked.issues, path)),
  ]
  if (reasons.length > 0) return refuse([...new Set(reasons)])
  const warnings = ignored.map((key) => `${formatPointer([...path, key])}: says nothing to a gateway`)
  return { name, server: read, reasons, warnings }
}

function withOwn(own: unknown, values: Values): Values {
  const given = isRecord(own) ? Object.entries(own).filter(([, value]) => typeof value === "string") : []
  // What was filtered is texts.
  return { ...values, environment: { ...values.environment, ...(Object.fromEntries(given) as Record<string, string>) } }
}

/** A shell's arguments are programs with variables of their own. */
function isShell(command: unknown): boolean {
  return (
    typeof command === "string" && /(^|[\\/])(ba|da|z|k|fi)?sh$|(^|[\\/])(cmd|pwsh|powershell)(\.exe)?$/i.test(command)
  )
}

interface PutIn {
  readonly variables: Variables
  readonly script: boolean
}

function putIn(value: unknown, path: readonly string[], put: PutIn): unknown {
  if (typeof value === "string") return put.variables.expand(value, path, { script: put.script })
  if (Array.isArray(value)) return value.map((item, index) => putIn(item, [...path, String(index)], put))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, putIn(member, [...path, key], put)]))
}

/** Where hosts take numbers for texts. */
const TEXTS = ["args", "env", "headers"]

function toTexts(server: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(server).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, TEXTS.includes(key) ? textsOf(value) : value]))
}

/** A port is often written as a number, and what is not to be set as `null`. */
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

const TYPES = /^(stdio|local|http|https|sse|remote|streamable[-_]?http)$/i

function wayFaults({ command, url, type }: GatewayServer, path: readonly string[]): readonly string[] {
  const at = formatPointer(path)
  if ((command === undefined) === (url === undefined)) return [`${at}: expected either "command" or "url"`]
  if (type !== undefined && !TYPES.test(type))
    return [`${at}/type: ${JSON.stringify(type)} is not known: expected "stdio", "http" or "sse"`]
  const isUrl = url === undefined || (/^https?:\/\/./i.test(url) && URL.canParse(url))
  return isUrl ? [] : [`${at}/url: expected a URL of http or https`]
}

/** Two servers cannot have one name, and one alone may go without a prefix: the first keeps it, others are refused. */
function onlyFirst(read: readonly ReadServer[]): readonly ReadServer[] {
  const plain = read.find(({ server }) => server?.prefix === false)
  const holders = new Map<string, string>()
  return read.map((each) => {
    const { name, server } = each
    if (server === undefined || each === plain) return each
    const refuse = (why: string): ReadServer => ({ name, reasons: [why], warnings: [] })
    if (server.prefix === false)
      return refuse(`"${name}" goes without a prefix as "${plain?.name}" does: expected one at most`)
    const holder = holders.get(server.as ?? name)
    if (holder !== undefined)
      return refuse(`"${name}" is called "${server.as ?? name}" as "${holder}" is: give it another`)
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

/** Asks for the inputs that entries name, each once. */
async function askInputs(
  entries: readonly (readonly [string, unknown])[],
  definitions: unknown,
  { environment, ask }: { readonly environment: Values["environment"]; readonly ask: ReadOptions["ask"] | undefined },
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const id of new Set(entries.flatMap(([, entry]) => inputsIn(entry)))) {
    if (ask === undefined || environment[inputVariable(id)] !== undefined) continue
    const definition = (Array.isArray(definitions) ? definitions : []).find(
      (each) => isRecord(each) && each["id"] === id,
    )
    const answer = await ask(toInput(id, isRecord(definition) ? definition : {}))
    if (answer !== undefined) answers.set(id, answer)
  }
  return answers
}

function toInput(
  id: string,
  { description, password, default: suggested, options }: Readonly<Record<string, unknown>>,
): ConfigInput {
  const choices = Array.isArray(options)
    ? options.map((each) => String(isRecord(each) ? each["value"] : each))
    : undefined
  return {
    id,
    description: typeof description === "string" ? description : id,
    password: password === true,
    ...(typeof suggested === "string" && { suggested }),
    ...(choices && { options: choices }),
  }
}
