import { BehaviorSubject, combineLatest, distinctUntilChanged, map } from "rxjs"
import { type Board, type Card, DONE, firstBoard } from "./board.js"
import type { BoardStore } from "./board-store.js"
import {
  newColumn,
  withCard,
  withChangedCard,
  withColumn,
  withColumnTitle,
  withMovedCard,
  withoutCard,
  withoutCards,
  withoutColumn,
  withoutDone,
} from "./changes.js"
import { createHistory } from "./create-history.js"

/** A store in memory, whose changes are complete when they return. */
export type MemoryBoardStore = {
  readonly [Key in keyof BoardStore]: BoardStore[Key] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Awaited<Result>
    : BoardStore[Key]
}

/** Creates the application in memory, with an initial board. */
export function createBoardStore(first: Board = firstBoard): MemoryBoardStore {
  const { value$: board$, canUndo$, canRedo$, current, change, undo, redo } = createHistory(first)
  const openId$ = new BehaviorSubject<string | undefined>(undefined)
  // Outside the history, so that an undone card's id is not reused.
  let lastId = first.cards.length

  const remove = (without: (board: Board) => Board): number => {
    const before = current().cards.length
    change(without)
    return before - current().cards.length
  }

  return {
    board$,
    canUndo$,
    canRedo$,
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
    moveCard: (id, place) => change((board) => withMovedCard(board, id, place)),
    removeCard: (id) => change((board) => withoutCard(board, id)),
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
    redo,
  }
}
