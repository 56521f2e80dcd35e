import type { ToolEntry } from "@x/mcp-adapter"
import { CALL_NAMES } from "../command/options.js"
import { type CommandSite, settingNames } from "../command/read-command-line.js"
import { isSwitch, toFlags, valueName } from "../flags/flag.js"
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
