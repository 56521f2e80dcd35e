import { Option } from "commander"
import { type Flag, isSwitch, readValue, valueName } from "../flags/flag.js"

/** What the options of a command give, by the parser's own names. */
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

/** What flags say of settings. */
export interface GivenSettings {
  /** The file that `--config` names. */
  readonly file: string | undefined
  /** What `--set` gives, a text by setting. */
  readonly flags: Readonly<Record<string, string>>
}

/** What the options of the command itself give beside {@link Options}. */
export interface ModeOptions extends Options {
  readonly mcp?: true
  readonly http?: string | true
  readonly describe?: true
  readonly watch?: string | true
  readonly completion?: string
}

/** The names that are no field's on an action. */
export const CALL_NAMES: readonly string[] = ["help", "json", "log", "yes"]

/** The names that are no field's on the command itself. */
export const MODE_NAMES: readonly string[] = [
  "completion",
  "describe",
  "http",
  "mcp",
  "version",
  "watch",
  ...CALL_NAMES,
]

/** What a completion script calls the command with, before the words typed so far. */
export const COMPLETE = "--complete"

/** How an action is called. */
export function callOptions(): readonly Option[] {
  return [
    new Option(
      "--json <object>",
      'all fields as a JSON object, "-" to read it from standard input; flags go before it',
    ),
    new Option("-y, --yes", "accepts what a person would be asked to accept"),
  ]
}

/** The names that are no field's either, where there are settings. */
export const SETTING_NAMES: readonly string[] = ["config", "set"]

/** How an agent is set up for this once. */
export function settingOptions(settings: Readonly<Record<string, string>>): readonly Option[] {
  const names = Object.entries(settings).map(([name, about]) => (about === "" ? name : `${name} (${about})`))
  const set = new Option("--set <name=value>", `sets one of: ${names.join(", ")}; repeat it for more`)
  set.argParser((text: string, before: readonly string[] = []) => [...before, text])
  return [new Option("--config <file>", "reads settings from a JSON file"), ...(names.length > 0 ? [set] : [])]
}

/** Where calls are noted. */
export function logOption(): Option {
  return new Option("--log <file>", 'notes each call as a line of JSON in a file, "-" for standard error')
}

/** What else can be done with the service, one at a time. */
export function modeOptions(): readonly Option[] {
  const modes = [
    new Option("--mcp", "serves MCP over standard input and output"),
    new Option("--http [address]", "serves MCP over HTTP at [host:]port"),
    new Option("--describe", "lists actions and states; as JSON where the output is no terminal"),
    new Option("--watch [state]", "prints a state, or all, as a line of JSON, and again when it changes"),
    new Option("--completion <shell>", "prints the script that completes it in a shell").choices(SHELLS),
  ]
  return modes.map((mode) => mode.conflicts(MODES.filter((name) => name !== mode.attributeName())))
}

const SHELLS = ["bash", "zsh", "fish", "powershell"]
const MODES = ["mcp", "http", "describe", "watch", "completion"]

/** What was given by flags, by field. */
export type Given = Map<string, unknown>

/** A flag in the words of the argument parser. What it reads goes to `given`, for the parser's own names change letters. */
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
    ...(repeats ? ["repeat it for more"] : []),
    ...(required ? ["required"] : []),
    ...(fallback === undefined ? [] : [`default: ${toText(fallback)}`]),
  ]
  return [description, ...(notes.length === 0 ? [] : [`(${notes.join("; ")})`])].filter(Boolean).join(" ")
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}
