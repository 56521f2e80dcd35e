import { Command, CommanderError } from "commander"
import { type CliError, invalidUsage } from "../cli-error.js"
import { print, showText } from "../display.js"
import { toFlags } from "../flags/flag.js"
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
 * Reads a command line. Help and the version are printed at once.
 *
 * @throws CliError `invalid_usage` that says in a line what is wrong with it.
 */
export function readCommandLine(args: readonly string[], site: CommandSite): CommandLine {
  const words = toWords(site.tools)
  const read = parse(args, site, words)
  if (read.line !== undefined) return read.line
  // Not listed: by another name, or not now.
  const { word = "" } = read
  const entry = site.find(word)
  const again = entry === undefined ? read : parse(args, site, [...words, { entry, names: [word] }])
  if (again.line !== undefined) return again.line
  // As other programs take it; an action of that name comes first.
  if (word === "help") return readCommandLine([...args.slice(args.indexOf(word) + 1), "--help"], site)
  const known = words.flatMap(({ names }) => names)
  throw invalidUsage(`there is no action "${word}": ${suggest(word, known)} ("${site.name} --help" tells of them)`)
}

/** What was read: what is asked for, or the word that is no action's. */
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

/** Is told what was read. */
type Settle = (read: { readonly line: CommandLine } | { readonly word: string }) => void

/** The command itself: its modes, and the fields of the action that runs when none is named. */
function createRoot(site: CommandSite, settle: Settle): Command {
  const { name, version, description, primary, settings } = site
  const fields: Given = new Map()
  const root = new Command(name).version(version, "--version", "prints the version")
  root.description(description).helpCommand(false).helpOption("-h, --help", "prints this")
  root.configureHelp({ subcommandTerm: (command) => command.name() })
  // Descriptions are the service's words.
  const writeOut = (text: string): void => void print(showText(text))
  root.configureOutput({ outputError: () => undefined, writeOut }).showSuggestionAfterError(false)
  // A field of an action may be called like an option of the command.
  root.enablePositionalOptions().exitOverride((error) => throwUsage(error, root))
  if (primary !== undefined) {
    const taken = [...MODE_NAMES, ...settingNames(site)]
    for (const flag of toFlags(primary, taken)) for (const option of toOptions(flag, fields)) root.addOption(option)
    for (const option of callOptions()) root.addOption(option)
  }
  const further = [...(settings ? settingOptions(settings) : []), logOption()]
  for (const option of [...modeOptions(), ...further]) root.addOption(option)
  // What it does not know is told here, because a word may be an action's that is not listed.
  root.allowUnknownOption().allowExcessArguments()
  root.action(() => {
    const [word] = root.args
    if (word?.startsWith("-")) throw unknownFlag(word, root)
    if (word !== undefined) return settle({ word })
    settle({ line: toMode(root) ?? toCall(site, root, fields) })
  })
  return root
}

function toCall({ name, primary }: CommandSite, root: Command, fields: Given): CommandLine {
  if (primary === undefined) throw invalidUsage(`expected an action or a mode ("${name} --help" tells of them)`)
  const { json, yes = false, ...rest } = root.opts<Options>()
  return { mode: "call", entry: primary, title: name, fields, json, yes, ...toRun(rest) }
}

/** What goes with whatever runs. */
function toRun({ log, config, set = [] }: Options): RunLine {
  const flags = set.map((text) => {
    const end = text.indexOf("=")
    if (end <= 0) throw invalidUsage('flag "--set" has no setting: expected name=value')
    return [text.slice(0, end), text.slice(end + 1)] as const
  })
  return { log, given: { file: config, flags: Object.fromEntries(flags) } }
}

/** The names that are no field's because settings have them. */
export function settingNames({ settings }: CommandSite): readonly string[] {
  return settings === undefined ? [] : SETTING_NAMES
}

/** What the mode options ask for; `undefined` where there is none. */
function toMode(command: Command): CommandLine | undefined {
  const { mcp, http, describe, watch, completion, ...rest } = command.opts<ModeOptions>()
  const run = toRun(rest)
  if (mcp) return { mode: "mcp", ...run }
  if (http !== undefined) return { mode: "http", address: http === true ? undefined : http, ...run }
  if (describe) return { mode: "describe" }
  if (watch !== undefined) return { mode: "watch", state: watch === true ? undefined : watch, ...run }
  return completion === undefined ? undefined : { mode: "completion", shell: completion }
}

/** Makes an action a command below the root. */
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

/** Says an error of the parser in our words; help and the version, which are errors to the parser, go on as they are. */
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

/** Says that a flag is none of a command's. */
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
  return ` ("${names.join(" ")} --help" tells of them)`
}
