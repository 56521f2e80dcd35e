import Dexie, { type EntityTable } from "dexie"
import { type Board, type Card, type Column, firstBoard } from "../../../src/board/board.js"

/** A stored card. */
export interface CardRow extends Card {
  /** Its place among the cards. */
  readonly position: number
}

/** A stored column. */
export interface ColumnRow extends Column {
  /** Its place from left to right. */
  readonly position: number
}

/** A change of the rows: each one before and after; `null` if absent. */
export interface Change {
  readonly id: number
  readonly cards: Readonly<Record<string, Turn<CardRow>>>
  readonly columns: Readonly<Record<string, Turn<ColumnRow>>>
  /** Whether it was undone: 0 or 1, since index keys cannot be booleans. */
  readonly undone: 0 | 1
}

/** A row before and after a change. */
export interface Turn<Row> {
  readonly before: Row | null
  readonly after: Row | null
}

/** The board in the browser's database, shared by all tabs. */
export type BoardDatabase = Dexie & {
  cards: EntityTable<CardRow, "id">
  columns: EntityTable<ColumnRow, "id">
  changes: EntityTable<Change, "id">
  counters: EntityTable<{ readonly name: string; readonly value: number }, "name">
}

/** Opens the database, with an initial board if new. */
export function openBoardDatabase(name = "board"): BoardDatabase {
  // Dexie adds the tables of the schema.
  const database = new Dexie(name) as BoardDatabase
  database.version(1).stores({ cards: "id", columns: "id", changes: "++id, undone", counters: "name" })
  database.on("populate", async () => {
    await database.cards.bulkAdd(toCardRows(firstBoard))
    await database.columns.bulkAdd(toColumnRows(firstBoard))
    await database.counters.add({ name: "card", value: firstBoard.cards.length })
  })
  return database
}

/** Reads the stored board. */
export async function readBoard({ cards, columns }: BoardDatabase): Promise<Board> {
  const [cardRows, columnRows] = await Promise.all([cards.toArray(), columns.toArray()])
  return {
    columns: columnRows.sort(byPosition).map(({ position: _, ...column }) => column),
    cards: cardRows.sort(byPosition).map(({ position: _, ...card }) => card),
  }
}

/** Converts a board's cards to rows. */
export function toCardRows({ cards }: Board): readonly CardRow[] {
  return cards.map((card, position) => ({ ...card, position }))
}

/** Converts a board's columns to rows. */
export function toColumnRows({ columns }: Board): readonly ColumnRow[] {
  return columns.map((column, position) => ({ ...column, position }))
}

function byPosition(one: { readonly position: number }, other: { readonly position: number }): number {
  return one.position - other.position
}
