import { CALL_NAMES } from "../command/options.js"
import { toFlags } from "../flags/flag.js"
import { isSwitch, valueName } from "../flags/to-options.js"
import { toTable } from "../terminal/to-table.js"
import { print, toLine } from "../terminal/write.js"
import type { ModeSite } from "./mode-site.js"

/** Lists what can be called and read now: for a program as MCP lists it, for a person as tables. */
export async function describe({ adapter, view, command }: ModeSite): Promise<number> {
  const { name, version, description } = command
  const { tools, states } = view.snapshot()
  if (process.stdout.isTTY) {
    const actions = tools.map((entry) => [entry.name, toFields(entry), toLine(entry.definition.description)])
    const values = states.map(({ definition }) => [definition.name, toLine(definition.description ?? "")])
    const head = toLine(`${name} ${version}  ${description}`)
    const parts = [
      head,
      toTable(["action", "fields", "description"], actions),
      toTable(["state", "description"], values),
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
    await print(`${JSON.stringify(described, undefined, 2)}\n`)
  }
  return 0
}

/** The fields of an action in short: those that need not be there with a `?`. */
function toFields(entry: Parameters<typeof toFlags>[0]): string {
  const fields = toFlags(entry, CALL_NAMES).map((flag) => {
    const value = isSwitch(flag) ? "" : `=${valueName(flag)}`
    return `${flag.name}${flag.required ? "" : "?"}${value}${flag.repeats ? "…" : ""}`
  })
  return fields.join(" ")
}
