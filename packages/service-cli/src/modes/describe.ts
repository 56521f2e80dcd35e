import { type Command, type OptionHandler, RootCommand } from "@bomb.sh/tab"
import type { ToolEntry } from "@x/mcp-adapter"
import type { Option } from "commander"
import { CliError } from "../cli-error.js"
import {
  CALL_NAMES,
  COMPLETE,
  callOptions,
  logOption,
  MODE_NAMES,
  modeOptions,
  settingOptions,
} from "../command/options.js"
import { type CommandSite, settingNames } from "../command/read-command-line.js"
import { type Flag, isSwitch, toFlags, valueName } from "../flags/flag.js"
import { placeOf, toWords } from "../names/find-member.js"
import type { ModeSite } from "../run-options.js"
import { print, toJsonText, toLine, toTable } from "../terminal/display.js"

/** Lists what can be called and read now: for a program as MCP lists it, for a person as tables. */
export async function describe({ adapter, view, command }: ModeSite): Promise<number> {
  const { name, version, description } = command
  const { tools, states } = view.snapshot()
  const { stdout } = process
  if (stdout.isTTY) {
    // A pseudo-terminal may have no size.
    const columns = stdout.columns || 80
    const actions = tools.map((entry) => [
      entry.name,
      toLine(toFields(entry, command)),
      toLine(entry.definition.description),
    ])
    const values = states.map(({ definition }) => [toLine(definition.name), toLine(definition.description ?? "")])
    const head = toLine(`${name} ${version}  ${description}`)
    const parts = [
      head,
      toTable(["action", "fields", "description"], actions, columns),
      toTable(["state", "description"], values, columns),
    ]
    await print(`${parts.filter((part) => part !== "").join("\n\n")}\n`)
  } else {
    const described = {
      name: adapter.name,
      version,
      ...(description !== "" && { description }),
      tools: tools.map(({ definition }) => definition),
      states: states.map(({ definition }) => definition),
    }
    await print(`${toJsonText(described, 2)}\n`)
  }
  return 0
}

/** The fields of an action in short: those that need not be there with a `?`. */
function toFields(entry: ToolEntry, command: CommandSite): string {
  const fields = toFlags(entry, [...CALL_NAMES, ...settingNames(command)]).map((flag) => {
    const value = isSwitch(flag) ? "" : `=${valueName(flag)}`
    return `${flag.name}${flag.required ? "" : "?"}${value}${flag.repeats ? "…" : ""}`
  })
  return fields.join(" ")
}

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
  const taken = settingNames(command)
  const further = [...(command.settings ? settingOptions(command.settings) : []), logOption()]
  if (command.primary !== undefined) addFlags(root, toFlags(command.primary, [...MODE_NAMES, ...taken]))
  addOptions(root, [...modeOptions(), ...(command.primary === undefined ? [] : callOptions()), ...further])
  root.option("watch", "", offer(states.map(placeOf)))
  for (const { entry, names } of toWords(tools)) {
    for (const word of names.filter(isSafe)) {
      const action = root.command(word, toLine(entry.definition.description))
      addFlags(action, toFlags(entry, [...CALL_NAMES, ...taken]))
      addOptions(action, [...callOptions(), ...further])
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
