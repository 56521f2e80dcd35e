import type { Board, Column } from "./board.js"

/** Formats a board as Markdown: a heading per column, a line per card. */
export function toMarkdown(board: Board): string {
  return [
    `# Board: ${count(board.cards.length, "card")}`,
    ...board.columns.map((column) => columnToMarkdown(board, column)),
  ].join("\n\n")
}

function columnToMarkdown({ cards }: Board, { id, title }: Column): string {
  const lines = cards.filter((card) => card.column === id).map((card) => `- ${card.id}: ${card.title}`)
  return [`## ${title} (${id})`, ...(lines.length > 0 ? lines : ["nothing here"])].join("\n")
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}
