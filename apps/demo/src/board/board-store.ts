import type { Observable } from "rxjs"
import type { Board, Card, Column } from "./board.js"
import type { CardChange } from "./changes.js"

/**
 * The application: a board, what happened to it, and the card that somebody looks at. Knows nothing of agents. Where it is kept
 * elsewhere, what changes it comes back once it is kept and {@link BoardStore.board} is up to date.
 */
export interface BoardStore {
  /** The board, at once and then at every change. */
  readonly board$: Observable<Board>
  /** Whether there is a change to take back. */
  readonly canUndo$: Observable<boolean>
  /** Whether a change was taken back that can be done again. */
  readonly canRedo$: Observable<boolean>
  /** The card that is open; `undefined` while none is. */
  readonly openCard$: Observable<Card | undefined>
  /** The board now. */
  board(): Board
  /** Adds a card at the end of a column, by default the first one. */
  addCard(title: string, column?: string): Soon<Card>
  /** Changes a card; does nothing if it is gone. */
  changeCard(id: string, change: CardChange): Soon<void>
  /** Puts a card elsewhere: before another one, or at the end of a column. Does nothing if it is gone. */
  moveCard(id: string, to: CardPlace): Soon<void>
  /** Removes a card; does nothing if it is gone. */
  removeCard(id: string): Soon<void>
  /** Removes the finished cards, and says how many. */
  archive(): Soon<number>
  /** Removes all cards, and says how many. */
  clear(): Soon<number>
  /** Adds a column to the left of the finished cards. */
  addColumn(title: string): Soon<Column>
  /** Gives a column another title. */
  renameColumn(id: string, title: string): Soon<void>
  /** Removes a column; does nothing while it holds cards. */
  removeColumn(id: string): Soon<void>
  /** Opens a card, in place of the one that was. What is open is not part of the history. */
  openCard(id: string): void
  /** Closes the open card. */
  closeCard(): void
  /** Takes back the last change; `false` if there is none. */
  undo(): Soon<boolean>
  /** Does again what was taken back last; `false` if nothing was. */
  redo(): Soon<boolean>
}

/** A value, or one that comes. */
export type Soon<Value> = Value | Promise<Value>

/** A place on the board. */
export interface CardPlace {
  /** The id of the column. */
  readonly column: string
  /** The id of the card that it comes before; default: it becomes the last. */
  readonly before?: string
}
