import { CliError } from "../cli-error.js"
import type { PlainDefinition } from "./agent-definition.js"

/** Finds what would keep an agent from being called as its author means it. */
export function checkDefinition({ name, tools = [], options = {}, required = [] }: PlainDefinition): void {
  const names = [name, ...tools.map((tool) => tool.name)]
  const illegal = names.find((candidate) => !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(candidate))
  if (illegal !== undefined) {
    throw invalid(
      `"${illegal}" names an agent or a tool`,
      'a letter or "_", then at most 63 letters, digits, "_" or "-"',
    )
  }
  const twice = names.find((candidate, index) => names.indexOf(candidate) !== index)
  if (twice !== undefined) throw invalid(`agent "${name}" has two tools "${twice}"`, "a name of its own for each")
  if ("context" in options) throw invalid(`agent "${name}" has an option "context"`, "another name: that is its text")
  const unknown = required.find((option) => !Object.hasOwn(options, option))
  if (unknown !== undefined) throw invalid(`agent "${name}" requires "${unknown}"`, "the name of an option")
}

function invalid(found: string, expected: string): CliError {
  return new CliError("invalid_definition", `${found}: expected ${expected}`)
}
