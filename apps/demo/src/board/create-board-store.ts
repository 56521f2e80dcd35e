import { BehaviorSubject, combineLatest, distinctUntilChanged, map, type Observable } from "rxjs"
import { type Board, type Card, type Column, DONE, firstBoard } from "./board.js"
import {
  type CardChange,
  newColumn,
  withCard,
  withChangedCard,
  withColumn,
  withColumnTitle,
  withoutCards,
  withoutColumn,
  withoutDone,
} from "./changes.js"
import { createHistory } from "./create-history.js"

/** The application: a board, what happened to it, and the card that somebody looks at. Knows nothing of agents. */
export interface BoardStore {
  /** The board, at once and then at every change. */
  readonly board$: Observable<Board>
  /** Whether there is a change to take back. */
  readonly canUndo$: Observable<boolean>
  /** The card that is open; `undefined` while none is. */
  readonly openCard$: Observable<Card | undefined>
  /** The board now. */
  board(): Board
  /** Adds a card at the end of a column, by default the first one. */
  addCard(title: string, column?: string): Card
  /** Changes a card; does nothing if it is gone. */
  changeCard(id: string, change: CardChange): void
  /** Removes the finished cards, and says how many. */
  archive(): number
  /** Removes all cards, and says how many. */
  clear(): number
  /** Adds a column to the left of the finished cards. */
  addColumn(title: string): Column
  /** Gives a column another title. */
  renameColumn(id: string, title: string): void
  /** Removes a column; does nothing while it holds cards. */
  removeColumn(id: string): void
  /** Opens a card, in place of the one that was. What is open is not part of the history. */
  openCard(id: string): void
  /** Closes the open card. */
  closeCard(): void
  /** Takes back the last change; `false` if there is none. */
  undo(): boolean
}

/** Creates the application with a board to begin with. */
export function createBoardStore(first: Board = firstBoard): BoardStore {
  const { value$: board$, canUndo$, current, change, undo } = createHistory(first)
  const openId$ = new BehaviorSubject<string | undefined>(undefined)
  // Outside the history: an id that was taken back is not given to another card.
  let lastId = first.cards.length

  const remove = (without: (board: Board) => Board): number => {
    const before = current().cards.length
    change(without)
    return before - current().cards.length
  }

  return {
    board$,
    canUndo$,
    openCard$: combineLatest([board$, openId$]).pipe(
      map(([board, id]) => board.cards.find((card) => card.id === id)),
      distinctUntilChanged(),
    ),
    board: current,
    addCard(title, column = current().columns[0]?.id ?? DONE) {
      lastId += 1
      const card: Card = { id: `c${lastId}`, title, column, notes: "", comments: [] }
      change((board) => withCard(board, card))
      return card
    },
    changeCard: (id, cardChange) => change((board) => withChangedCard(board, id, cardChange)),
    archive: () => remove(withoutDone),
    clear: () => remove(withoutCards),
    addColumn(title) {
      const column = newColumn(current(), title)
      change((board) => withColumn(board, column))
      return column
    },
    renameColumn: (id, title) => change((board) => withColumnTitle(board, id, title)),
    removeColumn: (id) => change((board) => withoutColumn(board, id)),
    openCard: (id) => openId$.next(id),
    closeCard: () => openId$.next(undefined),
    undo,
  }
}
