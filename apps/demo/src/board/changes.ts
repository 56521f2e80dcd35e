import { type Board, type Card, type Column, DONE } from "./board.js"

/** What can be changed about a card. */
export type CardChange = Partial<Pick<Card, "title" | "notes" | "column" | "comments">>

/** A board with one more card, the last of its column. */
export function withCard(board: Board, card: Card): Board {
  return { ...board, cards: [...board.cards, card] }
}

/** A board with another version of one card; the same board if there is no such card. */
export function withChangedCard(board: Board, id: string, change: CardChange): Board {
  if (!board.cards.some((card) => card.id === id)) return board
  return { ...board, cards: board.cards.map((card) => (card.id === id ? { ...card, ...change } : card)) }
}

/**
 * A board with one card in another place; the same board if there is no such card.
 *
 * @param before - The id of the card that it comes before; default: it becomes the last of the column.
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

/** A board without one card; the same board if there is no such card. */
export function withoutCard(board: Board, id: string): Board {
  return keeping(board, (card) => card.id !== id)
}

/** A board without its finished cards. */
export function withoutDone(board: Board): Board {
  return keeping(board, (card) => card.column !== DONE)
}

/** A board without any card. */
export function withoutCards(board: Board): Board {
  return keeping(board, () => false)
}

/** A board with one more column, left of the finished cards. */
export function withColumn(board: Board, column: Column): Board {
  return { ...board, columns: board.columns.flatMap((other) => (other.id === DONE ? [column, other] : [other])) }
}

/** A board with another title for one column. */
export function withColumnTitle(board: Board, id: string, title: string): Board {
  return { ...board, columns: board.columns.map((column) => (column.id === id ? { ...column, title } : column)) }
}

/** A board without one column; the same board while that holds cards, or finished ones are meant for it. */
export function withoutColumn(board: Board, id: string): Board {
  return isRemovable(board, id) ? { ...board, columns: board.columns.filter((column) => column.id !== id) } : board
}

/** Whether a column can go: nothing in it, and not the one for finished cards. */
export function isRemovable(board: Board, id: string): boolean {
  return id !== DONE && !board.cards.some((card) => card.column === id)
}

/** A column of that title, with an id that tells what it stands for and that no other column of the board has. */
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
