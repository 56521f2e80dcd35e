import { type Command, type OptionHandler, RootCommand } from "@bomb.sh/tab"
import type { Option } from "commander"
import { CliError } from "../cli-error.js"
import { CALL_NAMES, COMPLETE, callOptions, logOption, MODE_NAMES, modeOptions } from "../command/options.js"
import { type Flag, toFlags } from "../flags/flag.js"
import { isSwitch } from "../flags/to-options.js"
import { placeOf } from "../names/find-state.js"
import { toWords } from "../names/to-words.js"
import { toLine } from "../terminal/write.js"
import type { ModeSite } from "./mode-site.js"

/**
 * Prints the script that completes the command in a shell.
 *
 * @throws CliError `unavailable` when the command's name is nothing a shell could call.
 */
export function printCompletion({ command: { name } }: ModeSite, shell: string): number {
  if (!isSafe(name)) {
    throw new CliError(
      "unavailable",
      `the command is called "${name}": expected letters, digits, ".", "_" and "-" only`,
    )
  }
  new RootCommand().setup(name, `${name} ${COMPLETE}`, shell)
  return 0
}

/**
 * Prints what the words typed so far can go on with, as the completion scripts want it.
 *
 * @param words - What follows {@link COMPLETE}: `complete -- <words>`.
 */
export function complete({ view, command }: ModeSite, words: readonly string[]): number {
  const { tools, states } = view.snapshot()
  const root = new RootCommand()
  if (command.primary !== undefined) addFlags(root, toFlags(command.primary, MODE_NAMES))
  addOptions(root, [...modeOptions(), ...(command.primary === undefined ? [] : callOptions()), logOption()])
  root.option("watch", "", offer(states.map(placeOf)))
  for (const { entry, names } of toWords(tools)) {
    for (const word of names.filter(isSafe)) {
      const action = root.command(word, toLine(entry.definition.description))
      addFlags(action, toFlags(entry, CALL_NAMES))
      addOptions(action, [...callOptions(), logOption()])
    }
  }
  root.parse(words.slice(words.indexOf("--") + 1))
  return 0
}

function addFlags(command: Command, flags: readonly Flag[]): void {
  for (const flag of flags) {
    const about = toLine(flag.description)
    if (isSwitch(flag)) command.option(flag.name, about)
    else command.option(flag.name, about, offer((flag.choices ?? []).map(String)))
  }
}

function addOptions(command: Command, options: readonly Option[]): void {
  for (const { long, description, required, optional, argChoices } of options) {
    const name = long?.slice("--".length) ?? ""
    if (required || optional) command.option(name, description, offer(argChoices ?? []))
    else command.option(name, description)
  }
}

function offer(values: readonly string[]): OptionHandler {
  return (complete) => {
    for (const value of values.filter(isSafe)) complete(value, "")
  }
}

/** A shell expands what it is offered, so nothing that it could run, or split, may be among it. */
function isSafe(word: string): boolean {
  return /^[\w./:@%+=,-]+$/.test(word)
}
