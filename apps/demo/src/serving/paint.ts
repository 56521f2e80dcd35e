import { styleText } from "node:util"

/** Colours for a person's eye: none where the output is a pipe or a file, or where `NO_COLOR` asks for none. */
export function paint(style: "bold" | "dim" | "green" | "red", text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText(style, text) : text
}
