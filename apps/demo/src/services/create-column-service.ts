import { type AgenticService, action, createAgenticService, state } from "@x/agentic-service"
import { map } from "rxjs"
import type { Column } from "../board/board.js"
import type { BoardStore } from "../board/board-store.js"
import { isRemovable } from "../board/changes.js"
import { CardSchema } from "./card-schema.js"
import { Created, Titled } from "./titled.js"

/** Creates a column's service for agents. It exists while the column does. */
export function createColumnService(store: BoardStore, { id, title: firstTitle }: Column): AgenticService {
  const title$ = store.board$.pipe(
    map(({ columns }) => columns.find((column) => column.id === id)?.title ?? firstTitle),
  )
  const cards$ = store.board$.pipe(map(({ cards }) => cards.filter((card) => card.column === id)))
  const removable$ = store.board$.pipe(map((board) => isRemovable(board, id)))
  return createAgenticService({
    name: "column",
    description: "A column of the board",
    states: {
      title: state({ description: "The column's heading", schema: { type: "string" }, value: title$ }),
      cards: state({
        description: "Its cards, in the order they were added",
        schema: { type: "array", items: CardSchema },
        value: cards$,
      }),
    },
    actions: {
      add: action({
        description: "Add a card to this column",
        input: Titled,
        output: Created,
        execute: async ({ title }) => ({ id: (await store.addCard(title, id)).id }),
      }),
      rename: action({
        description: "Rename this column; its id stays the same",
        idempotent: true,
        input: Titled,
        execute: ({ title }) => store.renameColumn(id, title),
      }),
      remove: action({
        description: "Remove this column",
        when: { is: removable$, otherwise: "only an empty column can be removed, and never that of finished cards" },
        execute: () => store.removeColumn(id),
      }),
    },
  })
}
