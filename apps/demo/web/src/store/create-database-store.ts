import { type Dexie, liveQuery, type Table } from "dexie"
import { BehaviorSubject, combineLatest, distinctUntilChanged, from, map, type Observable, skip } from "rxjs"
import { type Board, type Card, DONE } from "../../../src/board/board.js"
import type { BoardStore } from "../../../src/board/board-store.js"
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
} from "../../../src/board/changes.js"
import { type BoardDatabase, type Change, readBoard, type Turn, toCardRows, toColumnRows } from "./board-database.js"
import type { OpenCard } from "./open-card.js"

/** The most changes that can be undone. */
const REMEMBERED = 100

/** Creates the application on the browser's database: all tabs share the board and its history. */
export async function createDatabaseStore(database: BoardDatabase, open: OpenCard): Promise<BoardStore> {
  const board$ = new BehaviorSubject<Board>(await readBoard(database))
  // This tab's own changes are already applied, so only those of other tabs matter.
  const take = (board: Board): void => {
    if (JSON.stringify(board) !== JSON.stringify(board$.value)) board$.next(board)
  }
  from(liveQuery(() => readBoard(database)))
    .pipe(skip(1))
    .subscribe(take)
  const write = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const { cards, columns, changes, counters } = database
    const result = await database.transaction("rw", cards, columns, changes, counters, work)
    take(await readBoard(database))
    return result
  }
  const change = (toNext: (board: Board) => Board): Promise<void> => write(() => changeBoard(database, toNext))
  const remove = (without: (board: Board) => Board): Promise<number> =>
    write(async () => {
      const before = await readBoard(database)
      await changeBoard(database, without)
      return before.cards.length - without(before).cards.length
    })

  return {
    board$,
    canUndo$: hasChange(database, 0),
    canRedo$: hasChange(database, 1),
    openCard$: combineLatest([board$, open.id$]).pipe(
      map(([board, id]) => board.cards.find((card) => card.id === id)),
      distinctUntilChanged((one, other) => JSON.stringify(one) === JSON.stringify(other)),
    ),
    board: () => board$.value,
    addCard: (title, column) => write(() => addCard(database, title, column)),
    changeCard: (id, cardChange) => change((board) => withChangedCard(board, id, cardChange)),
    moveCard: (id, place) => change((board) => withMovedCard(board, id, place)),
    removeCard: (id) => change((board) => withoutCard(board, id)),
    archive: () => remove(withoutDone),
    clear: () => remove(withoutCards),
    addColumn: (title) =>
      write(async () => {
        const column = newColumn(await readBoard(database), title)
        await changeBoard(database, (board) => withColumn(board, column))
        return column
      }),
    renameColumn: (id, title) => change((board) => withColumnTitle(board, id, title)),
    removeColumn: (id) => change((board) => withoutColumn(board, id)),
    openCard: open.open,
    closeCard: open.close,
    undo: () => write(() => turn(database, "before")),
    redo: () => write(() => turn(database, "after")),
  }
}

async function addCard(database: BoardDatabase, title: string, column: string | undefined): Promise<Card> {
  const { columns } = await readBoard(database)
  // A counter, so that an undone card's id is not reused.
  const value = ((await database.counters.get("card"))?.value ?? 0) + 1
  await database.counters.put({ name: "card", value })
  const card: Card = { id: `c${value}`, title, column: column ?? columns[0]?.id ?? DONE, notes: "", comments: [] }
  await changeBoard(database, (board) => withCard(board, card))
  return card
}

/** Writes the changed rows and records the change. Undone changes can no longer be redone then. */
async function changeBoard(database: BoardDatabase, toNext: (board: Board) => Board): Promise<void> {
  const board = await readBoard(database)
  const next = toNext(board)
  if (next === board) return
  const cards = compare(toCardRows(board), toCardRows(next))
  const columns = compare(toColumnRows(board), toColumnRows(next))
  await Promise.all([apply(database.cards, cards, "after"), apply(database.columns, columns, "after")])
  const { changes } = database
  await changes.where("undone").equals(1).delete()
  await changes.add({ cards, columns, undone: 0 })
  const many = await changes.count()
  if (many > REMEMBERED)
    await changes
      .orderBy("id")
      .limit(many - REMEMBERED)
      .delete()
}

/** Undoes the newest change, or redoes the oldest undone one. */
async function turn(database: BoardDatabase, to: "before" | "after"): Promise<boolean> {
  const found =
    to === "before"
      ? await database.changes.where("undone").equals(0).last()
      : await database.changes.where("undone").equals(1).first()
  if (found === undefined) return false
  await Promise.all([apply(database.cards, found.cards, to), apply(database.columns, found.columns, to)])
  await database.changes.update(found.id, { undone: to === "before" ? 1 : 0 })
  return true
}

function compare<Row extends { readonly id: string }>(
  before: readonly Row[],
  after: readonly Row[],
): Readonly<Record<string, Turn<Row>>> {
  const old = new Map(before.map((row) => [row.id, row]))
  const now = new Map(after.map((row) => [row.id, row]))
  const ids = new Set([...old.keys(), ...now.keys()])
  const turns = [...ids].map((id) => [id, { before: old.get(id) ?? null, after: now.get(id) ?? null }] as const)
  return Object.fromEntries(turns.filter(([, row]) => JSON.stringify(row.before) !== JSON.stringify(row.after)))
}

async function apply<Row>(
  table: Pick<Table<Row, string>, "bulkPut" | "bulkDelete">,
  turns: Readonly<Record<string, Turn<Row>>>,
  side: "before" | "after",
): Promise<void> {
  const rows = Object.values(turns).flatMap((row) => row[side] ?? [])
  const gone = Object.entries(turns).flatMap(([id, row]) => (row[side] === null ? [id] : []))
  await Promise.all([table.bulkPut(rows), table.bulkDelete(gone)])
}

function hasChange(database: Dexie & Pick<BoardDatabase, "changes">, undone: Change["undone"]): Observable<boolean> {
  const count = liveQuery(() => database.changes.where("undone").equals(undone).count())
  return from(count).pipe(
    map((many) => many > 0),
    distinctUntilChanged(),
  )
}
