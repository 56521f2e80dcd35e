import { styleText } from "node:util"

/** Colours a text for a terminal, unless the output is redirected or `NO_COLOR` is set. */
export function paint(style: "bold" | "dim" | "green" | "red", text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText(style, text) : text
}
