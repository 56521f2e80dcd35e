import type { ConfigInput } from "@x/mcp-upstream/node"
import { findTerminal, hideSecret, toLine } from "../display.js"

/** Asks a person at the terminal for an input of a gateway's file. Returns `undefined` without a terminal. */
export async function askInput(input: ConfigInput): Promise<string | undefined> {
  const terminal = findTerminal()
  if (terminal === undefined) return undefined
  const { isCancel, password, select, text } = await import("@clack/prompts")
  const message = toLine(input.description)
  const { suggested, options } = input
  const choices = options?.map((value) => ({ value, label: toLine(value) }))
  const answer = input.password
    ? await password({ message, ...terminal })
    : choices !== undefined
      ? await select({
          message,
          options: choices,
          ...(suggested !== undefined && { initialValue: suggested }),
          ...terminal,
        })
      : await text({ message, ...(suggested !== undefined && { initialValue: suggested }), ...terminal })
  if (isCancel(answer) || answer === undefined) return undefined
  if (input.password) hideSecret(answer)
  return answer
}
