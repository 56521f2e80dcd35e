import { type Command, type OptionHandler, RootCommand } from "@bomb.sh/tab"
import type { ToolEntry } from "@x/mcp-adapter"
import type { Option } from "commander"
import { CliError } from "./cli-error.js"
import { columnsOf, toTable, wrap } from "./columns.js"
import type { CommandSite } from "./command/command-line.js"
import {
  CALL_NAMES,
  COMPLETE,
  callOptions,
  logOption,
  MODE_NAMES,
  modeOptions,
  settingOptions,
} from "./command/options.js"
import { settingNames } from "./command/read-command-line.js"
import { print, toJsonText, toLine } from "./display.js"
import { type Flag, isSwitch, toFlags, valueName } from "./flags/flag.js"
import { placeOf, toWords } from "./names/find-member.js"
import type { ModeSite } from "./run-options.js"

/** Lists available actions and states: as MCP lists them for a program, as tables for a person. */
export async function describe({ adapter, view, command }: ModeSite): Promise<number> {
  const { name, version, description } = command
  const { tools, states } = view.snapshot()
  const { stdout } = process
  if (stdout.isTTY) {
    const columns = columnsOf(stdout)
    const actions = tools.map((entry) => [
      entry.name,
      toLine(toFields(entry, command)),
      toLine(entry.definition.description),
    ])
    const values = states.map(({ definition }) => [toLine(definition.name), toLine(definition.description ?? "")])
    const head = wrap(toLine(`${name} ${version}  ${description}`), columns)
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

/** Lists an action's fields in short; optional ones end with `?`. */
function toFields(entry: ToolEntry, command: CommandSite): string {
  const fields = toFlags(entry, [...CALL_NAMES, ...settingNames(command)]).map((flag) => {
    const value = isSwitch(flag) ? "" : `=${valueName(flag)}`
    return `${flag.name}${flag.required ? "" : "?"}${value}${flag.repeats ? "…" : ""}`
  })
  return fields.join(" ")
}

/** Removes characters that a shell might expand. */
function toHarmless(text: string): string {
  return toLine(text).replace(/[$`\\]/g, "")
}

/**
 * Prints a shell's completion script.
 *
 * @throws CliError `unavailable` if a shell cannot call a command of that name.
 */
export async function printCompletion({ command: { name } }: ModeSite, shell: string): Promise<number> {
  if (!isSafe(name)) {
    throw new CliError(`found the command name "${name}": expected only letters, digits, ".", "_" and "-"`, {
      code: "unavailable",
    })
  }
  const script = SCRIPTS.get(shell)
  if (script === undefined) new RootCommand().setup(name, `${name} ${COMPLETE}`, shell)
  else await print(script(name, toIdentifier(name)))
  return 0
}

/** Encodes the command's name for identifiers of a shell, without collisions. */
function toIdentifier(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, (other) => `_${other.charCodeAt(0).toString(16)}`)
}

// These scripts pass on the typed words without evaluating them. They use identifiers of this command only, and need no other
// program than the shell.

/** Creates a script from a command's name and its encoding for identifiers. */
type Script = (name: string, identifier: string) => string

const SCRIPTS: ReadonlyMap<string, Script> = new Map([
  [
    "bash",
    (name, identifier) => `# completes ${name} in bash
_complete_${identifier}() {
  local word line words=()
  # The shell takes "=" and ":" apart: a flag's value is a word of its own, and what is around a colon is one.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    case $word in
      =) continue ;;
      :) words[\${#words[@]}-1]+=: ;;
      *) if [[ \${#words[@]} -gt 0 && \${words[-1]} == *: ]]; then words[-1]+=$word; else words+=("$word"); fi ;;
    esac
  done
  [[ \${COMP_WORDS[COMP_CWORD]} == = ]] && words+=("")
  local current=\${words[-1]}
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    [[ $line != :* && $line == "$current"* ]] && COMPREPLY+=("\${line#"\${current%"\${current##*:}"}"}")
  done < <(${name} ${COMPLETE} complete -- "\${words[@]}" 2>/dev/null)
}
complete -o bashdefault -o default -F _complete_${identifier} ${name}
`,
  ],
  [
    "zsh",
    (name, identifier) => `#compdef ${name}
# completes ${name} in zsh
_complete_${identifier}() {
  local line value about
  local -a typed found
  typed=("\${(@)words[2,CURRENT]}")
  # A flag and its value in one word are two to the command.
  if [[ $typed[-1] == --*=* ]]; then
    typed=("\${(@)typed[1,-2]}" "\${typed[-1]%%=*}" "\${typed[-1]#*=}")
    compset -P '*='
  fi
  while IFS= read -r line; do
    [[ -z $line || $line == :* ]] && continue
    value=\${line%%$'\\t'*}
    about=\${line#$value}
    about=\${about#$'\\t'}
    found+=("\${value//:/\\\\:}\${about:+:$about}")
  done < <(${name} ${COMPLETE} complete -- "\${(@)typed}" 2>/dev/null)
  if (( $#found )); then _describe '${name}' found; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _complete_${identifier} "$@"; else compdef _complete_${identifier} ${name}; fi
`,
  ],
  [
    "fish",
    (name, identifier) => `# completes ${name} in fish
function __complete_${identifier}
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    # A flag and its value in one word are two to the command, and come back as one.
    set -l flag (string match --regex -- '^--[^=]*=' $current)
    if test -n "$flag"
        set typed $typed (string trim --right --chars '=' -- $flag)
        set current (string sub --start (math (string length -- $flag) + 1) -- $current)
    end
    for line in (${name} ${COMPLETE} complete -- $typed[2..-1] "$current" 2>/dev/null | string match --invert --regex '^:')
        echo -- "$flag$line"
    end
end
complete --command ${name} --no-files --arguments '(__complete_${identifier})'
`,
  ],
])

/**
 * Prints completions of the words typed so far, in the format of the completion scripts.
 *
 * @param words - The words after {@link COMPLETE}: `complete -- <words>`.
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
      const action = root.command(word, toHarmless(entry.definition.description))
      addFlags(action, toFlags(entry, [...CALL_NAMES, ...taken]))
      addOptions(action, [...callOptions(), ...further])
    }
  }
  root.parse(words.slice(words.indexOf("--") + 1))
  return 0
}

function addFlags(command: Command, flags: readonly Flag[]): void {
  for (const flag of flags) {
    const about = toHarmless(flag.description)
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

/** Whether a word is safe to offer: shells expand completions, so they must contain no special characters. */
function isSafe(word: string): boolean {
  return /^[\w./:@%+=,-]+$/.test(word)
}
