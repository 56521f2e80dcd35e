import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { checkJson } from "@x/agentic-service/adapter"
import { isRecord, parseJson } from "@x/base"
import { CliError } from "../cli-error.js"
import { hideSecret } from "../display.js"
import { readText } from "../flags/flag.js"
import { suggest } from "../names/suggest.js"
import type { AgentOption, Defaulted, OptionValue } from "./agent-option.js"

/** A setting of an agent, the same for all its calls: the JSON Schema of one value, with further properties. */
export interface AgentSetting extends AgentOption {
  /** Whether a value is required. Default `false`. */
  readonly required?: boolean
  /**
   * Whether the value is secret. Secret settings have no flag (flags show in process lists), never appear in messages or logs,
   * and are left out of copies and JSON of `ctx.config`. Default `false`.
   */
  readonly secret?: boolean
  /** The environment variable. Default: the agent's name and the setting's, such as `CODE_HELPER_API_URL`. */
  readonly variable?: string
}

/** Settings by name. */
export type AgentSettings = Readonly<Record<string, AgentSetting>>

/** The values of settings. Settings with a `default` and required ones always have a value; others may be absent. */
export type SettingValues<Settings extends AgentSettings> = {
  readonly [Name in keyof Settings]:
    | OptionValue<Settings[Name]>
    | (Settings[Name] extends RequiredSetting | Defaulted ? never : undefined)
}

/** A setting with a required value. */
export interface RequiredSetting {
  /** Always `true`. */
  readonly required: true
}

/** The sources of an agent's configuration, in order: later ones win. */
export interface SetUpOptions {
  /** A file with a JSON object. Default: `config.json` in the agent's folder of the user's configuration, if that exists. */
  readonly file?: string | undefined
  /** Environment variables. Default: those of the process. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined
  /** Texts by setting, as given with `--set`. Default: none. */
  readonly flags?: Readonly<Record<string, string>> | undefined
}

/** An agent's configuration. */
export interface SetUp {
  /** Setting values by name; secret ones are not enumerable. */
  readonly config: Readonly<Record<string, unknown>>
  /** The environment variables that it requested. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** An agent's name, settings and requested variables. */
export interface SettingsOwner {
  /** The agent's name. */
  readonly name: string
  /** The agent's settings. */
  readonly settings: AgentSettings
  /** The environment variables that it requests. */
  readonly variables: readonly string[]
}

/**
 * Reads an agent's configuration from a file, the environment and flags, in that order, and checks each value.
 *
 * @throws CliError `invalid_config` that names the faulty setting and its source, but never a secret value.
 */
export async function setUp(
  { name, settings, variables: wanted }: SettingsOwner,
  options: SetUpOptions,
): Promise<SetUp> {
  const { variables = process.env, file, flags = {} } = options
  const given = new Map<string, Given>()
  for (const [key, value] of Object.entries(readFile(name, file, variables))) given.set(key, value)
  for (const [key, setting] of Object.entries(settings)) {
    const variable = setting.variable ?? toVariable(name, key)
    const text = variables[variable]
    if (text !== undefined && text !== "") {
      given.set(key, { value: readText(setting, text), from: `environment variable "${variable}"` })
    }
  }
  for (const [key, text] of Object.entries(flags)) {
    if (settings[key]?.secret)
      throw invalid(`"${key}" is secret, and flags show in process lists: ${elsewhere(name, key, settings[key])}`)
    given.set(key, { value: readText(settings[key] ?? {}, text), from: 'flag "--set"' })
  }
  const config = await check(name, settings, given)
  return { config, environment: Object.fromEntries(wanted.map((variable) => [variable, variables[variable]])) }
}

/** A value and its source. */
interface Given {
  readonly value: unknown
  readonly from: string
}

function readFile(name: string, file: string | undefined, variables: SetUpOptions["variables"]): Record<string, Given> {
  const path = file ?? defaultFile(name, variables ?? {})
  if (file === undefined && !existsSync(path)) return {}
  const from = `file "${path}"`
  const values = parseJson(readOrRefuse(path))
  // The parser's message is left out: it may quote a secret.
  if (!isRecord(values)) throw invalid(`${from} is not a JSON object: expected the settings by name`)
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, from }]))
}

function readOrRefuse(path: string): string {
  try {
    // Some programs start files with a byte order mark.
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "")
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function unreadable(path: string, cause: unknown): CliError {
  return new CliError(`file "${path}" cannot be read: ${CliError.from(cause).message}`, {
    code: "invalid_config",
    cause,
  })
}

function defaultFile(name: string, variables: Readonly<Record<string, string | undefined>>): string {
  const folder = variables["XDG_CONFIG_HOME"] || variables["APPDATA"] || join(homedir(), ".config")
  return join(folder, name, "config.json")
}

function toVariable(name: string, key: string): string {
  return `${name}_${key.replace(/([a-z0-9])([A-Z])/g, "$1_$2")}`.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase()
}

async function check(
  name: string,
  settings: AgentSettings,
  given: ReadonlyMap<string, Given>,
): Promise<SetUp["config"]> {
  for (const [key, { from }] of given) {
    if (Object.hasOwn(settings, key)) continue
    throw invalid(`${from} has the unknown setting "${key}": ${suggest(key, Object.keys(settings))}`)
  }
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(settings)) {
    const value = (await checkOne(key, setting, given.get(key))) ?? missing(key, setting, name)
    Object.defineProperty(config, key, { value, enumerable: setting.secret !== true })
  }
  return Object.freeze(config)
}

/** Returns a setting's value or default; `undefined` if there is neither. */
async function checkOne(key: string, setting: AgentSetting, given: Given | undefined): Promise<unknown> {
  const { value, from } = given ?? { value: setting.default, from: "default" }
  if (value === undefined) return undefined
  if (setting.secret && typeof value === "string") hideSecret(value)
  await expectFits(key, setting, { value, from })
  return value
}

function missing(key: string, setting: AgentSetting, name: string): undefined {
  if (setting.required) throw invalid(`"${key}" is not set: ${elsewhere(name, key, setting)}`)
}

async function expectFits(key: string, setting: AgentSetting, { value, from }: Given): Promise<void> {
  const { required: _required, secret, variable: _variable, ...schema } = setting
  const checked = await checkJson(schema, value)
  if (checked.ok) return
  if (secret) throw invalid(`"${key}" from ${from} does not match its schema; the value is secret and not shown`)
  const why = checked.issues.map(({ message }) => message).join(", ")
  throw invalid(`"${key}" from ${from} is ${JSON.stringify(value)}: ${why}`)
}

/** Returns a sentence about where a setting can be set. */
function elsewhere(name: string, key: string, { variable, secret }: AgentSetting): string {
  const flag = secret ? "" : `, or "--set ${key}=…"`
  return `set it as "${key}" in the configuration file, as environment variable "${variable ?? toVariable(name, key)}"${flag}`
}

function invalid(message: string): CliError {
  return new CliError(message, { code: "invalid_config" })
}
