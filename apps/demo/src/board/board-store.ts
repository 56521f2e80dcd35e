import type { Observable } from "rxjs"
import type { Board, Card, Column } from "./board.js"
import type { CardChange } from "./changes.js"

/**
 * The application: a board, its history, and the open card. It does not depend on agents. A change resolves once it is stored
 * and {@link BoardStore.board} includes it.
 */
export interface BoardStore {
  /** The board, at once and after every change. */
  readonly board$: Observable<Board>
  /** Whether a change can be undone. */
  readonly canUndo$: Observable<boolean>
  /** Whether an undone change can be redone. */
  readonly canRedo$: Observable<boolean>
  /** The open card; `undefined` if none is open. */
  readonly openCard$: Observable<Card | undefined>
  /** Returns the current board. */
  board(): Board
  /** Adds a card at a column's end. Default: the first column. */
  addCard(title: string, column?: string): Soon<Card>
  /** Changes a card. Does nothing without such a card. */
  changeCard(id: string, change: CardChange): Soon<void>
  /** Moves a card before another one, or to the end of a column. Does nothing if it is gone. */
  moveCard(id: string, to: CardPlace): Soon<void>
  /** Removes a card. Does nothing without such a card. */
  removeCard(id: string): Soon<void>
  /** Removes the finished cards. Returns their number. */
  archive(): Soon<number>
  /** Removes all cards. Returns their number. */
  clear(): Soon<number>
  /** Adds a column to the left of the finished cards. */
  addColumn(title: string): Soon<Column>
  /** Renames a column. */
  renameColumn(id: string, title: string): Soon<void>
  /** Removes a column; does nothing while it holds cards. */
  removeColumn(id: string): Soon<void>
  /** Opens a card instead of the current one. The history ignores open cards. */
  openCard(id: string): void
  /** Closes the open card. */
  closeCard(): void
  /** Undoes the last change. Returns `false` if there is none. */
  undo(): Soon<boolean>
  /** Redoes the last undone change. Returns `false` if there is none. */
  redo(): Soon<boolean>
}

/** A value or its promise. */
export type Soon<Value> = Value | Promise<Value>

/** A place on the board. */
export interface CardPlace {
  /** The id of the column. */
  readonly column: string
  /** The id of the next card. Default: the end of the column. */
  readonly before?: string
}
