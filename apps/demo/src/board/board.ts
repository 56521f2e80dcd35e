/** An immutable project board: every change creates a new one. */
export interface Board {
  /** The columns from left to right. */
  readonly columns: readonly Column[]
  /** The cards in the order they were added. */
  readonly cards: readonly Card[]
}

/** A column of a board. */
export interface Column {
  /** Letters, digits and single `_`, made from the first title; constant. */
  readonly id: string
  /** The heading. */
  readonly title: string
}

/** A card of a board. */
export interface Card {
  /** An id such as `c1`, never reused. */
  readonly id: string
  /** One line. */
  readonly title: string
  /** Its column's id. */
  readonly column: string
  /** Any text; empty at first. */
  readonly notes: string
  /** The comments, oldest first. */
  readonly comments: readonly string[]
}

/** The column of finished cards, which every board has. */
export const DONE = "done"

/** The content of a new board. */
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
