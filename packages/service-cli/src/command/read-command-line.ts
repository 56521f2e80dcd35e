import { Command, CommanderError } from "commander"
import { type CliError, invalidUsage } from "../cli-error.js"
import { print, showText } from "../display.js"
import { isSwitch, toFlags } from "../flags/flag.js"
import { toWords, type Words } from "../names/find-member.js"
import { suggest } from "../names/suggest.js"
import type { CommandLine, CommandSite, RunLine } from "./command-line.js"
import {
  CALL_NAMES,
  callOptions,
  type Given,
  logOption,
  MODE_NAMES,
  type ModeOptions,
  modeOptions,
  type Options,
  SETTING_NAMES,
  settingOptions,
  toOptions,
} from "./options.js"

/**
 * Parses a command line. Help and the version are printed at once.
 *
 * @throws CliError `invalid_usage` with a one-line message.
 */
export function readCommandLine(args: readonly string[], site: CommandSite): CommandLine {
  const words = toWords(site.tools)
  const read = parse(args, site, words)
  if (read.line !== undefined) return read.line
  // An unlisted word may be another name of an action, or an unavailable action.
  const { word = "" } = read
  const entry = site.find(word)
  const again = entry === undefined ? read : parse(args, site, [...words, { entry, names: [word] }])
  if (again.line !== undefined) return again.line
  // `help` works as in other programs, unless an action has that name.
  if (word === "help") return readCommandLine([...args.slice(args.indexOf(word) + 1), "--help"], site)
  const known = words.flatMap(({ names }) => names)
  const destroying = new Set(words.filter(isDestructive).flatMap(({ names }) => names))
  throw invalidUsage(`there is no action "${word}": ${suggest(word, known, destroying)} (see "${site.name} --help")`)
}

function isDestructive({ entry }: Words[number]): boolean {
  return entry.definition.annotations?.destructiveHint === true
}

/** The parsed command line, or the word that names no known action. */
interface Read {
  line?: CommandLine
  word?: string
}

function parse(args: readonly string[], site: CommandSite, words: Words): Read {
  const read: Read = {}
  const settle = (found: Read): void => void Object.assign(read, found)
  const root = createRoot(site, settle)
  for (const word of words) addAction(root, word, { site, settle })
  try {
    root.parse(args, { from: "user" })
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
    read.line = { mode: "done" }
  }
  return read
}

/** Receives the result of parsing. */
type Settle = (read: { readonly line: CommandLine } | { readonly word: string }) => void

/** Creates the main command, with its modes and the fields of the primary action. */
function createRoot(site: CommandSite, settle: Settle): Command {
  const { name, version, description, primary, settings } = site
  const fields: Given = new Map()
  const root = new Command(name).version(version, "--version", "prints the version")
  root.description(description).helpCommand(false).helpOption("-h, --help", "prints this help")
  root.configureHelp({ subcommandTerm: (command) => command.name() })
  // Descriptions come from the service, so control characters are made visible.
  const writeOut = (text: string): void => void print(showText(text))
  root.configureOutput({ outputError: () => undefined, writeOut }).showSuggestionAfterError(false)
  // An action's field may have the name of an option of the command.
  root.enablePositionalOptions().exitOverride((error) => throwUsage(error, root))
  if (primary !== undefined) {
    const taken = [...MODE_NAMES, ...settingNames(site)]
    for (const flag of toFlags(primary, taken)) for (const option of toOptions(flag, fields)) root.addOption(option)
    for (const option of callOptions()) root.addOption(option)
  }
  const further = [...(settings ? settingOptions(settings) : []), logOption()]
  for (const option of [...modeOptions(), ...further]) root.addOption(option)
  // Unknown words are reported here, because they may name an unlisted action.
  root.allowUnknownOption().allowExcessArguments()
  root.addHelpText("after", () => toExamples(site))
  root.action(() => {
    const [word] = root.args
    if (word?.startsWith("-")) throw unknownFlag(word, root)
    if (word !== undefined) return settle({ word })
    settle({ line: toMode(root) ?? toCall(site, root, fields) })
  })
  return root
}

/** Returns command lines to try: an action that destroys nothing, and what every service can do. */
function toExamples({ name, tools, primary, settings }: CommandSite): string {
  const taken = [...(primary === undefined ? CALL_NAMES : MODE_NAMES), ...(settings === undefined ? [] : SETTING_NAMES)]
  const entry = primary ?? tools.find(({ definition }) => definition.annotations?.destructiveHint !== true)
  const flags = entry === undefined ? [] : toFlags(entry, taken).filter(({ required }) => required)
  const given = flags.map((flag) => `--${flag.name}${isSwitch(flag) ? "" : `=${flag.name.toUpperCase()}`}`)
  const call = [name, ...(entry === undefined || entry === primary ? [] : [entry.name]), ...given].join(" ")
  // People paste examples, and a shell would obey some characters.
  const isPlain = entry !== undefined && /^[\w =-]+$/.test(call)
  return [
    "",
    "Examples:",
    ...[...(isPlain ? [call] : []), `${name} --describe`, `${name} --http 8080`].map(indent),
  ].join("\n")
}

function indent(line: string): string {
  return `  ${line}`
}

function toCall({ name, primary }: CommandSite, root: Command, fields: Given): CommandLine {
  if (primary === undefined) throw invalidUsage(`expected an action or a mode (see "${name} --help")`)
  const { json, yes = false, ...rest } = root.opts<Options>()
  return { mode: "call", entry: primary, title: name, fields, json, yes, ...toRun(rest) }
}

/** Returns the options common to all runs. */
function toRun({ log, config, set = [] }: Options): RunLine {
  const flags = set.map((text) => {
    const end = text.indexOf("=")
    if (end <= 0) throw invalidUsage('flag "--set" has no setting: expected name=value')
    return [text.slice(0, end), text.slice(end + 1)] as const
  })
  return { log, given: { file: config, flags: Object.fromEntries(flags) } }
}

/** Returns the flag names that settings occupy. */
export function settingNames({ settings }: CommandSite): readonly string[] {
  return settings === undefined ? [] : SETTING_NAMES
}

/** Returns the mode that the options select, or `undefined`. */
function toMode(command: Command): CommandLine | undefined {
  const { mcp, http, describe, watch, completion, ...rest } = command.opts<ModeOptions>()
  const run = toRun(rest)
  if (mcp) return { mode: "mcp", ...run }
  if (http !== undefined) return { mode: "http", address: http === true ? undefined : http, ...run }
  if (describe) return { mode: "describe" }
  if (watch !== undefined) return { mode: "watch", state: watch === true ? undefined : watch, ...run }
  return completion === undefined ? undefined : { mode: "completion", shell: completion }
}

/** Adds an action as a subcommand. */
function addAction(
  root: Command,
  { entry, names }: Words[number],
  { site, settle }: { readonly site: CommandSite; readonly settle: Settle },
): void {
  const [title = entry.name, alias] = names
  const { description } = entry.definition
  const fields: Given = new Map()
  const taken = [...CALL_NAMES, ...settingNames(site)]
  const command = root
    .command(title)
    .description(description)
    .summary(description.split("\n")[0] ?? "")
  if (alias !== undefined) command.alias(alias)
  for (const flag of toFlags(entry, taken)) for (const option of toOptions(flag, fields)) command.addOption(option)
  const further = site.settings ? settingOptions(site.settings) : []
  for (const option of [...callOptions(), ...further, logOption()]) command.addOption(option)
  command.allowUnknownOption(false).allowExcessArguments(false)
  command.exitOverride((error) => throwUsage(error, command))
  command.action(() => {
    const { json, yes = false, ...rest } = command.optsWithGlobals<Options>()
    settle({ line: { mode: "call", entry, title, fields, json, yes, ...toRun(rest) } })
  })
}

/** Rewords an error of the parser. Help and the version, which are errors to the parser, pass unchanged. */
function throwUsage(error: CommanderError, command: Command): never {
  if (error.exitCode === 0) throw error
  const [, flag = ""] = /'([^']*)'/.exec(error.message) ?? []
  switch (error.code) {
    case "commander.unknownOption":
      throw unknownFlag(flag, command)
    case "commander.excessArguments":
      throw invalidUsage(
        `found ${JSON.stringify(command.args[0])}: "${command.name()}" takes flags only${see(command)}`,
      )
    case "commander.optionMissingArgument":
      throw invalidUsage(`flag "${flag.split(" ")[0]}" has no value: expected "${flag}"${see(command)}`)
    default:
      throw invalidUsage(error.message.replace(/^error: /, "").replaceAll("'", '"'))
  }
}

/** Creates the error for an unknown flag. */
function unknownFlag(found: string, command: Command): CliError {
  const name = found.split("=")[0] ?? found
  const known = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? [])
  return invalidUsage(`unknown flag "${name}": ${suggest(name, known)}${see(command)}`)
}

function see(command: Command): string {
  const names = [command.parent?.name(), command.name()].filter((name) => name !== undefined)
  return ` (see "${names.join(" ")} --help")`
}
