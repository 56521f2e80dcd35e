import type { Command } from "commander"
import { toFlags } from "../flags/flag.js"
import { type Given, toOptions } from "../flags/to-options.js"
import type { Words } from "../names/to-words.js"
import type { Settle } from "./create-root.js"
import { CALL_NAMES, callOptions, logOption, type Options } from "./options.js"
import { throwUsage } from "./usage-errors.js"

/** Makes an action a command below the root. */
export function addAction(root: Command, { entry, names }: Words[number], settle: Settle): void {
  const [title = entry.name, alias] = names
  const { description } = entry.definition
  const given: Given = new Map()
  const command = root
    .command(title)
    .description(description)
    .summary(description.split("\n")[0] ?? "")
  if (alias !== undefined) command.alias(alias)
  for (const flag of toFlags(entry, CALL_NAMES)) for (const option of toOptions(flag, given)) command.addOption(option)
  for (const option of [...callOptions(), logOption()]) command.addOption(option)
  command.allowUnknownOption(false).allowExcessArguments(false)
  command.exitOverride((error) => throwUsage(error, command))
  command.action(() => {
    const { json, yes = false, log } = command.optsWithGlobals<Options>()
    settle({ line: { mode: "call", entry, title, given, json, yes, log } })
  })
}
