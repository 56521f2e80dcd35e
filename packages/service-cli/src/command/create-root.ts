import { Command } from "commander"
import { invalidUsage } from "../cli-error.js"
import { toFlags } from "../flags/flag.js"
import { type Given, toOptions } from "../flags/to-options.js"
import type { CommandLine } from "./command-line.js"
import type { CommandSite } from "./command-site.js"
import { callOptions, logOption, MODE_NAMES, modeOptions, type Options, toMode } from "./options.js"
import { throwUsage, unknownFlag } from "./usage-errors.js"

/** Is told what was read. */
export type Settle = (read: { readonly line: CommandLine } | { readonly word: string }) => void

/** The command itself: its modes, and the fields of the action that runs when none is named. */
export function createRoot(site: CommandSite, settle: Settle): Command {
  const { name, version, description, primary } = site
  const given: Given = new Map()
  const root = new Command(name).version(version, "--version", "prints the version")
  root.description(description).helpCommand(false).helpOption("-h, --help", "prints this")
  root.configureHelp({ subcommandTerm: (command) => command.name() })
  root.configureOutput({ outputError: () => undefined }).showSuggestionAfterError(false)
  // A field of an action may be called like an option of the command.
  root.enablePositionalOptions().exitOverride((error) => throwUsage(error, root))
  if (primary !== undefined) {
    for (const flag of toFlags(primary, MODE_NAMES)) for (const option of toOptions(flag, given)) root.addOption(option)
    for (const option of callOptions()) root.addOption(option)
  }
  for (const option of [...modeOptions(), logOption()]) root.addOption(option)
  // What it does not know is told here, because a word may be an action's that is not listed.
  root.allowUnknownOption().allowExcessArguments()
  root.action(() => {
    const [word] = root.args
    if (word?.startsWith("-")) throw unknownFlag(word, root)
    if (word !== undefined) return settle({ word })
    settle({ line: toMode(root) ?? toCall(site, root, given) })
  })
  return root
}

function toCall({ name, primary }: CommandSite, root: Command, given: Given): CommandLine {
  if (primary === undefined) throw invalidUsage(`expected an action or a mode ("${name} --help" tells of them)`)
  const { json, yes = false, log } = root.opts<Options>()
  return { mode: "call", entry: primary, title: name, given, json, yes, log }
}
