/** A project board at one moment. Nobody writes to it: every change makes a new one. */
export interface Board {
  /** From left to right. */
  readonly columns: readonly Column[]
  /** In the order they were added. */
  readonly cards: readonly Card[]
}

/** One column of a board. */
export interface Column {
  /** Letters, digits and single `_`, made of its first title; never changes. */
  readonly id: string
  /** What stands above it. */
  readonly title: string
}

/** One card of a board. */
export interface Card {
  /** Such as `c1`; never used twice. */
  readonly id: string
  /** One line. */
  readonly title: string
  /** The id of the column it is in. */
  readonly column: string
  /** Any text; empty at first. */
  readonly notes: string
  /** Oldest first. */
  readonly comments: readonly string[]
}

/** The column that finished cards are in; every board has it. */
export const DONE = "done"

/** What a new board holds. */
export const firstBoard: Board = {
  columns: [
    { id: "todo", title: "To do" },
    { id: "doing", title: "Doing" },
    { id: DONE, title: "Done" },
  ],
  cards: [
    { id: "c1", title: "Write the announcement", column: "todo", notes: "", comments: [] },
    { id: "c2", title: "Record a short demo", column: "todo", notes: "Two minutes at most", comments: [] },
    { id: "c3", title: "Fix the login page", column: "doing", notes: "", comments: ["It fails on small screens"] },
  ],
}
