import { type Board, type Card, type Column, DONE } from "./board.js"

/** The changeable fields of a card. */
export type CardChange = Partial<Pick<Card, "title" | "notes" | "column" | "comments">>

/** Returns a board with another card at the end of its column. */
export function withCard(board: Board, card: Card): Board {
  return { ...board, cards: [...board.cards, card] }
}

/** Returns a board with a changed card; the same board if there is no such card. */
export function withChangedCard(board: Board, id: string, change: CardChange): Board {
  if (!board.cards.some((card) => card.id === id)) return board
  return { ...board, cards: board.cards.map((card) => (card.id === id ? { ...card, ...change } : card)) }
}

/**
 * Returns a board with a moved card; the same board if there is no such card.
 *
 * @param before - The id of the next card. Default: the end of the column.
 */
export function withMovedCard(
  board: Board,
  id: string,
  to: { readonly column: string; readonly before?: string },
): Board {
  const card = board.cards.find((other) => other.id === id)
  if (card === undefined || to.before === id) return board
  const others = board.cards.filter((other) => other.id !== id)
  const found = others.findIndex((other) => other.id === to.before)
  const at = found < 0 ? others.length : found
  const cards = [...others.slice(0, at), { ...card, column: to.column }, ...others.slice(at)]
  const isSame = card.column === to.column && cards.every((other, index) => other.id === board.cards[index]?.id)
  return isSame ? board : { ...board, cards }
}

/** Returns a board without a card; the same board if there is no such card. */
export function withoutCard(board: Board, id: string): Board {
  return keeping(board, (card) => card.id !== id)
}

/** Returns a board without its finished cards. */
export function withoutDone(board: Board): Board {
  return keeping(board, (card) => card.column !== DONE)
}

/** Returns a board without any card. */
export function withoutCards(board: Board): Board {
  return keeping(board, () => false)
}

/** Returns a board with another column, left of the finished cards. */
export function withColumn(board: Board, column: Column): Board {
  return { ...board, columns: board.columns.flatMap((other) => (other.id === DONE ? [column, other] : [other])) }
}

/** Returns a board with a renamed column. */
export function withColumnTitle(board: Board, id: string, title: string): Board {
  return { ...board, columns: board.columns.map((column) => (column.id === id ? { ...column, title } : column)) }
}

/** Returns a board without a column; the same board if the column has cards or is that of finished cards. */
export function withoutColumn(board: Board, id: string): Board {
  return isRemovable(board, id) ? { ...board, columns: board.columns.filter((column) => column.id !== id) } : board
}

/** Returns whether a column can be removed: it is empty, and not that of finished cards. */
export function isRemovable(board: Board, id: string): boolean {
  return id !== DONE && !board.cards.some((card) => card.column === id)
}

/** Creates a column with a title, and a unique id made from it. */
export function newColumn(board: Board, title: string): Column {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["column"]
  const freeId = (count: number): string => {
    const id = [...words, ...(count > 1 ? [count] : [])].join("_")
    return board.columns.some((column) => column.id === id) ? freeId(count + 1) : id
  }
  return { id: freeId(1), title }
}

function keeping(board: Board, isKept: (card: Card) => boolean): Board {
  const cards = board.cards.filter(isKept)
  return cards.length === board.cards.length ? board : { ...board, cards }
}
