import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { checkJson } from "@x/agentic-service/adapter"
import { isRecord, parseJson } from "@x/tool-schemas/json"
import { CliError } from "../cli-error.js"
import { hideSecret } from "../display.js"
import { readText } from "../flags/flag.js"
import { suggest } from "../names/suggest.js"
import type { AgentOption, Defaulted, OptionValue } from "./agent-option.js"

/** Something an agent is set up with, the same for all its calls: a JSON Schema of one value, and what else is known of it. */
export interface AgentSetting extends AgentOption {
  /** Whether there must be a value. Default `false`. */
  readonly required?: boolean
  /**
   * Whether nobody is to read it: it is no flag, for others see those; no message or log has it; and a copy of `ctx.config`,
   * or its JSON, is without it. Default `false`.
   */
  readonly secret?: boolean
  /** The environment variable that has it. Default: the agent's name and its own, such as `CODE_HELPER_API_URL`. */
  readonly variable?: string
}

/** Settings by name. */
export type AgentSettings = Readonly<Record<string, AgentSetting>>

/** The values of settings: one with a `default`, or that is required, is always there, any other may be absent. */
export type SettingValues<Settings extends AgentSettings> = {
  readonly [Name in keyof Settings]:
    | OptionValue<Settings[Name]>
    | (Settings[Name] extends RequiredSetting | Defaulted ? never : undefined)
}

/** A setting that must have a value. */
export interface RequiredSetting {
  /** That it must. */
  readonly required: true
}

/** What an agent is set up from, each in its turn: what comes later wins. */
export interface SetUpOptions {
  /** A file with a JSON object. Default: `config.json` in the agent's folder of the user's configuration, if it is there. */
  readonly file?: string | undefined
  /** Environment variables. Default: those of the process. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined
  /** Texts by setting, as `--set` gives them. Default: none. */
  readonly flags?: Readonly<Record<string, string>> | undefined
}

/** What an agent is set up with. */
export interface SetUp {
  /** The values of its settings, by name; those that are secret are not enumerable. */
  readonly config: Readonly<Record<string, unknown>>
  /** The environment variables that it asked for, and no others. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** An agent as far as it is set up. */
export interface SettingsOwner {
  /** Its name. */
  readonly name: string
  /** Its settings. */
  readonly settings: AgentSettings
  /** The environment variables it wants. */
  readonly variables: readonly string[]
}

/**
 * Reads what an agent is set up with: from a file, the environment and flags, in that order, each value checked.
 *
 * @throws CliError `invalid_config` that says which setting is wrong, and where it comes from; never a secret's value.
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
      throw invalid(`"${key}" is secret, and flags can be seen by others: ${elsewhere(name, key, settings[key])}`)
    given.set(key, { value: readText(settings[key] ?? {}, text), from: 'flag "--set"' })
  }
  const config = await check(name, settings, given)
  return { config, environment: Object.fromEntries(wanted.map((variable) => [variable, variables[variable]])) }
}

/** A value, and where it comes from. */
interface Given {
  readonly value: unknown
  readonly from: string
}

function readFile(name: string, file: string | undefined, variables: SetUpOptions["variables"]): Record<string, Given> {
  const path = file ?? defaultFile(name, variables ?? {})
  if (file === undefined && !existsSync(path)) return {}
  const from = `file "${path}"`
  const values = parseJson(readOrRefuse(path))
  // What is wrong with its JSON is not repeated: it may be in the middle of a secret.
  if (!isRecord(values)) throw invalid(`${from} is no JSON object: expected the settings by name`)
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, from }]))
}

function readOrRefuse(path: string): string {
  try {
    // Some programs begin a file with a byte order mark.
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "")
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function unreadable(path: string, cause: unknown): CliError {
  return new CliError("invalid_config", `file "${path}" cannot be read: ${CliError.from(cause).message}`, { cause })
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
    throw invalid(`${from} has "${key}", which is no setting: ${suggest(key, Object.keys(settings))}`)
  }
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(settings)) {
    const value = (await checkOne(key, setting, given.get(key))) ?? missing(key, setting, name)
    Object.defineProperty(config, key, { value, enumerable: setting.secret !== true })
  }
  return Object.freeze(config)
}

/** The value of a setting, its default where none is given; `undefined` where there is neither. */
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
  if (secret) throw invalid(`"${key}" from ${from} does not fit its schema; it is secret, and not shown`)
  const why = checked.issues.map(({ message }) => message).join(", ")
  throw invalid(`"${key}" from ${from} is ${JSON.stringify(value)}: ${why}`)
}

/** Where a setting may be set. */
function elsewhere(name: string, key: string, { variable, secret }: AgentSetting): string {
  const flag = secret ? "" : `, or "--set ${key}=…"`
  return `expected it in the configuration file, as "${key}", or as environment variable "${variable ?? toVariable(name, key)}"${flag}`
}

function invalid(message: string): CliError {
  return new CliError("invalid_config", message)
}
