import Dexie, { type EntityTable } from "dexie"
import { type Board, type Card, type Column, firstBoard } from "../../../src/board/board.js"

/** A card as it is kept. */
export interface CardRow extends Card {
  /** Where it comes in the order of cards. */
  readonly position: number
}

/** A column as it is kept. */
export interface ColumnRow extends Column {
  /** Where it comes from left to right. */
  readonly position: number
}

/** What a change made of each row: how it was and how it is; `null` where there was or is none. */
export interface Change {
  readonly id: number
  readonly cards: Readonly<Record<string, Turn<CardRow>>>
  readonly columns: Readonly<Record<string, Turn<ColumnRow>>>
  /** Whether it was taken back: 0 or 1, because keys of an index are no booleans. */
  readonly undone: 0 | 1
}

/** How a row was, and how it is. */
export interface Turn<Row> {
  readonly before: Row | null
  readonly after: Row | null
}

/** The board in the browser's own database, the same for every tab. */
export type BoardDatabase = Dexie & {
  cards: EntityTable<CardRow, "id">
  columns: EntityTable<ColumnRow, "id">
  changes: EntityTable<Change, "id">
  counters: EntityTable<{ readonly name: string; readonly value: number }, "name">
}

/** Opens the database, with a board to begin with where it is new. */
export function openBoardDatabase(name = "board"): BoardDatabase {
  // Dexie adds the tables that the schema names.
  const database = new Dexie(name) as BoardDatabase
  database.version(1).stores({ cards: "id", columns: "id", changes: "++id, undone", counters: "name" })
  database.on("populate", async () => {
    await database.cards.bulkAdd(toCardRows(firstBoard))
    await database.columns.bulkAdd(toColumnRows(firstBoard))
    await database.counters.add({ name: "card", value: firstBoard.cards.length })
  })
  return database
}

/** What is kept, as a board. */
export async function readBoard({ cards, columns }: BoardDatabase): Promise<Board> {
  const [cardRows, columnRows] = await Promise.all([cards.toArray(), columns.toArray()])
  return {
    columns: columnRows.sort(byPosition).map(({ position: _, ...column }) => column),
    cards: cardRows.sort(byPosition).map(({ position: _, ...card }) => card),
  }
}

/** A board's cards as they are kept. */
export function toCardRows({ cards }: Board): readonly CardRow[] {
  return cards.map((card, position) => ({ ...card, position }))
}

/** A board's columns as they are kept. */
export function toColumnRows({ columns }: Board): readonly ColumnRow[] {
  return columns.map((column, position) => ({ ...column, position }))
}

function byPosition(one: { readonly position: number }, other: { readonly position: number }): number {
  return one.position - other.position
}
