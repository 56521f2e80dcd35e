import fastStringWidth from "fast-string-width"
import { wrapAnsi } from "fast-wrap-ansi"

/** Returns the width of the terminal; 80 if the output goes elsewhere, or has no size, as a pseudo-terminal may. */
export function columnsOf({ columns }: { readonly columns?: number }): number {
  return columns || 80
}

/**
 * Formats a table with a title line, no wider than a terminal; empty without rows. Long cells wrap in their column. Where a
 * column would be too narrow for its words, each row becomes its first cell, with the others below.
 *
 * @param columns - The width in characters.
 */
export function toTable(titles: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  if (rows.length === 0) return ""
  const all = [titles.map((title) => title.toUpperCase()), ...rows]
  const widths = fit(
    titles.map((_, column) => Math.max(...all.map((row) => fastStringWidth(row[column] ?? "")))),
    columns - GAP.length * (titles.length - 1),
  )
  const breaksWords = widths.some((width, column) => all.some((row) => longestWord(row[column] ?? "") > width))
  if (breaksWords) return [titles[0]?.toUpperCase() ?? "", ...rows.map((row) => toStack(row, columns))].join("\n")
  return all.flatMap((row) => toLines(row, widths)).join("\n")
}

/**
 * Formats terms with their explanations, no wider than a terminal: beside each other, or below each other where that leaves
 * too little room.
 *
 * @param columns - The width in characters.
 */
export function toDefinitions(rows: readonly (readonly [term: string, text: string])[], columns: number): string {
  const term = Math.max(...rows.map(([each]) => fastStringWidth(each)))
  const room = columns - 2 * GAP.length - term
  if (room < READABLE) return rows.map((row) => indent(toStack(row, columns - GAP.length))).join("\n")
  return indent(rows.flatMap((row) => toLines(row, [term, room])).join("\n"))
}

/** Wraps a text between words; a word that is wider than the terminal is broken. */
export function wrap(text: string, columns: number): string {
  return wrapAnsi(text, columns, { hard: true })
}

/** The narrowest column of explanations, in characters. */
const READABLE = 32

const GAP = "  "

/** Distributes the width: columns that need less than an equal share get what they need, others share the rest. */
function fit(needed: readonly number[], room: number): readonly number[] {
  const widths: number[] = [...needed]
  let left = room
  let open = needed.length
  for (const [column, width] of [...needed.entries()].sort(([, one], [, other]) => one - other)) {
    widths[column] = Math.min(width, Math.max(1, Math.floor(left / open)))
    left -= widths[column] ?? 0
    open -= 1
  }
  return widths
}

function longestWord(text: string): number {
  return Math.max(...text.split(" ").map((word) => fastStringWidth(word)))
}

/** Formats a row without columns: the first cell, and the others indented below. */
function toStack([first = "", ...others]: readonly string[], columns: number): string {
  const below = others.filter((cell) => cell !== "").map((cell) => indent(wrap(cell, columns - GAP.length)))
  return [wrap(first, columns), ...below].join("\n")
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, GAP)
}

function toLines(row: readonly string[], widths: readonly number[]): readonly string[] {
  const cells = widths.map((width, column) => wrap(row[column] ?? "", width).split("\n"))
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => pad(lines[line] ?? "", widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - fastStringWidth(text)))
}
