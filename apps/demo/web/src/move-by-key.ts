import type { Board, Card } from "../../src/board/board.js"
import type { BoardStore, CardPlace } from "../../src/board/board-store.js"

interface Moving {
  readonly store: BoardStore
  readonly board: Board
  readonly card: Card
  readonly say: (text: string) => void
}

type Press = Pick<KeyboardEvent, "key" | "preventDefault">

/** Moves a card with Alt and an arrow key, keeps the focus on it, and announces its place. */
export async function moveByKey(event: Press, { store, board, card, say }: Moving): Promise<void> {
  const step = stepOf(event)
  if (step === undefined) return
  event.preventDefault()
  const to = toPlace(board, card, step)
  if (typeof to === "string") return say(to)
  await store.moveCard(card.id, to)
  const now = store.board().cards.filter((other) => other.column === to.column)
  const title = board.columns.find(({ id }) => id === to.column)?.title
  say(`${card.title}: ${title}, ${now.findIndex(({ id }) => id === card.id) + 1} of ${now.length}`)
  requestAnimationFrame(() => document.getElementById(`card-${card.id}`)?.focus())
}

/** Returns an arrow's direction; `undefined` for any other key. */
function stepOf({ key }: Press): { readonly side: number; readonly along: number } | undefined {
  const side = { ArrowLeft: -1, ArrowRight: 1 }[key]
  const along = { ArrowUp: -1, ArrowDown: 1 }[key]
  return side === undefined && along === undefined ? undefined : { side: side ?? 0, along: along ?? 0 }
}

/** Returns a step's destination, or the reason why the card cannot move. */
function toPlace(
  { columns, cards }: Board,
  card: Card,
  { side, along }: { readonly side: number; readonly along: number },
): CardPlace | string {
  const column = columns[columns.findIndex(({ id }) => id === card.column) + side]
  if (column === undefined) return `There is no column ${side > 0 ? "to the right" : "to the left"}`
  if (side !== 0) return { column: column.id }
  const own = cards.filter((other) => other.column === card.column)
  const place = own.findIndex(({ id }) => id === card.id) + along
  if (place < 0 || place >= own.length) return along < 0 ? "Already the first card" : "Already the last card"
  const next = own.filter(({ id }) => id !== card.id)[place]
  return { column: column.id, ...(next && { before: next.id }) }
}

/** Moves the focus between cards with the arrow keys: along a column, or to the next column with cards. */
export function walkByKey(event: Press & { readonly currentTarget: Element }): void {
  const step = stepOf(event)
  const own = event.currentTarget.closest(".column")
  if (step === undefined || own === null) return
  event.preventDefault()
  const cardsOf = (column: Element | undefined): readonly Element[] => [
    ...(column?.querySelectorAll(".card > button") ?? []),
  ]
  const place = cardsOf(own).indexOf(event.currentTarget)
  const columns = [...document.querySelectorAll(".column")].filter((each) => each === own || cardsOf(each).length > 0)
  const cards = cardsOf(columns[columns.indexOf(own) + step.side])
  const next = step.side === 0 ? cards[place + step.along] : cards[Math.min(place, cards.length - 1)]
  if (next instanceof HTMLElement) next.focus()
}
