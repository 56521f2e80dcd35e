import { Option } from "commander"
import { type Flag, isSwitch, readValue, valueName } from "../flags/flag.js"

/** The values of a command's options, under the parser's names. */
export interface Options {
  /** See {@link callOptions}. */
  readonly json?: string
  /** See {@link callOptions}. */
  readonly yes?: true
  /** See {@link logOption}. */
  readonly log?: string
  /** See {@link settingOptions}. */
  readonly config?: string
  /** See {@link settingOptions}. */
  readonly set?: readonly string[]
}

/** The settings given by flags. */
export interface GivenSettings {
  /** The file given with `--config`. */
  readonly file: string | undefined
  /** The texts given with `--set`, by setting. */
  readonly flags: Readonly<Record<string, string>>
}

/** The values of the main command's own options, beside {@link Options}. */
export interface ModeOptions extends Options {
  readonly mcp?: true
  readonly http?: string | true
  readonly describe?: true
  readonly watch?: string | true
  readonly completion?: string
}

/** The flag names that fields of an action cannot have. */
export const CALL_NAMES: readonly string[] = ["help", "json", "log", "yes"]

/** The flag names that fields of the primary action cannot have. */
export const MODE_NAMES: readonly string[] = [
  "completion",
  "describe",
  "http",
  "mcp",
  "version",
  "watch",
  ...CALL_NAMES,
]

/** The flag with which a completion script calls the command, before the words typed so far. */
export const COMPLETE = "--complete"

/** Returns the options of a call. */
export function callOptions(): readonly Option[] {
  return [
    new Option("--json <object>", 'all fields as a JSON object, "-" to read it from standard input; flags override it'),
    new Option("-y, --yes", "accepts confirmations without asking"),
  ]
}

/** The flag names that fields cannot have if there are settings. */
export const SETTING_NAMES: readonly string[] = ["config", "set"]

/** Returns the options that set an agent's settings for one run. */
export function settingOptions(settings: Readonly<Record<string, string>>): readonly Option[] {
  const names = Object.entries(settings).map(([name, about]) => (about === "" ? name : `${name} (${about})`))
  const set = new Option("--set <name=value>", `sets one of: ${names.join(", ")}; repeatable`)
  set.argParser((text: string, before: readonly string[] = []) => [...before, text])
  return [new Option("--config <file>", "reads settings from a JSON file"), ...(names.length > 0 ? [set] : [])]
}

/** Returns the option to log calls. */
export function logOption(): Option {
  return new Option("--log <file>", 'logs each call as a line of JSON to a file, "-" for standard error')
}

/** Returns the options for modes other than a call, which exclude each other. */
export function modeOptions(): readonly Option[] {
  const modes = [
    new Option("--mcp", "serves MCP over standard input and output"),
    new Option("--http [address]", "serves MCP over HTTP at [host:]port"),
    new Option("--describe", "lists actions and states; as JSON unless on a terminal"),
    new Option("--watch [state]", "prints a state, or all, as lines of JSON, now and on every change"),
    new Option("--completion <shell>", "prints a completion script for a shell").choices(SHELLS),
  ]
  return modes.map((mode) => mode.conflicts(MODES.filter((name) => name !== mode.attributeName())))
}

const SHELLS = ["bash", "zsh", "fish", "powershell"]
const MODES = ["mcp", "http", "describe", "watch", "completion"]

/** The values given by flags, by field. */
export type Given = Map<string, unknown>

/** Creates the parser's options for a flag. Values are stored in `given`, because the parser changes letters of names. */
export function toOptions(flag: Flag, given: Given): readonly Option[] {
  const { name, repeats } = flag
  if (isSwitch(flag)) return toSwitch(flag, given)
  const option = new Option(`--${name} <${valueName(flag)}>`, describeFlag(flag))
  option.argParser((text) => {
    const value = readValue(flag, text)
    const before = given.get(name)
    given.set(name, repeats ? [...(Array.isArray(before) ? before : []), value] : value)
  })
  return [option]
}

function toSwitch(flag: Flag, given: Given): readonly Option[] {
  const set = (text: string): void => void given.set(flag.name, text === "true")
  return [
    new Option(`--${flag.name}`, describeFlag(flag)).preset("true").argParser(set),
    new Option(`--no-${flag.name}`).preset("false").argParser(set).hideHelp(),
  ]
}

function describeFlag({ choices, description, fallback, repeats, required }: Flag): string {
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.map(toText).join(", ")}`]),
    ...(repeats ? ["repeatable"] : []),
    ...(required ? ["required"] : []),
    ...(fallback === undefined ? [] : [`default: ${toText(fallback)}`]),
  ]
  return [description, ...(notes.length === 0 ? [] : [`(${notes.join("; ")})`])].filter(Boolean).join(" ")
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}
