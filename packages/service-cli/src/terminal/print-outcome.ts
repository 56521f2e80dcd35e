import type { Outcome, Success } from "@x/agentic-service"
import { toJson } from "@x/mcp-adapter"
import { print, tell, toLine } from "./write.js"

/**
 * Prints what an action answered: a string as it is, anything else as JSON, content blocks after it; a failure goes to
 * standard error.
 *
 * @returns The exit code: 0, or 1 for a failure, or 2 where the input was not what the action takes.
 */
export async function printOutcome(name: string, outcome: Outcome): Promise<number> {
  if (outcome.ok) {
    await print(toText(outcome))
    return 0
  }
  const { message, code, recovery } = outcome
  if (code === "invalid_input") {
    tell(name, toLine(message.replaceAll("\n- ", " ")))
    return 2
  }
  tell(name, code === undefined ? message : `${message} (${code})`)
  if (recovery !== undefined) tell(name, recovery)
  return 1
}

function toText({ value, content = [] }: Success): string {
  const blocks = content.map((block) => (block.type === "text" ? block.text : JSON.stringify(toJson(block))))
  const parts = value === undefined ? blocks : [typeof value === "string" ? value : format(value), ...blocks]
  return parts.map((part) => (part.endsWith("\n") ? part : `${part}\n`)).join("")
}

/** For a person on several lines, for a program on one. */
function format(value: unknown): string {
  return JSON.stringify(toJson(value), undefined, process.stdout.isTTY ? 2 : 0)
}
