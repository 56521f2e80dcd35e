import type { Command, CommanderError } from "commander"
import { type CliError, invalidUsage } from "../cli-error.js"
import { suggest } from "../names/nearest.js"

/** Says an error of the parser in our words; help and the version, which are errors to the parser, go on as they are. */
export function throwUsage(error: CommanderError, command: Command): never {
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
export function unknownFlag(found: string, command: Command): CliError {
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
