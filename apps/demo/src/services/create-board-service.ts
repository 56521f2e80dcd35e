import { type AgenticService, createAgenticService, link, links, state } from "@x/agentic-service"
import { distinctUntilChanged, map } from "rxjs"
import type { BoardStore } from "../board/board-store.js"
import type { Exporter } from "../board/create-exporter.js"
import { toMarkdown } from "../board/to-markdown.js"
import { boardActions } from "./board-actions.js"
import { CardSchema } from "./card-schema.js"
import { createCardService } from "./create-card-service.js"
import { createColumnService } from "./create-column-service.js"
import { exportBoard } from "./export-board.js"

/** Creates the board's service for agents: its states, its actions and its links. With an exporter, they can export the board. */
export function createBoardService(store: BoardStore, exporter?: Exporter): AgenticService {
  const { board$, openCard$ } = store
  const openId$ = openCard$.pipe(
    map((card) => card?.id),
    distinctUntilChanged(),
  )
  return createAgenticService({
    name: "board",
    description: "A project board: cards in columns, and at most one card open",
    states: {
      cards: state({
        description: "All cards, in the order they were added",
        schema: { type: "array", items: CardSchema },
        value: board$.pipe(map((board) => board.cards)),
      }),
      summary: state({
        description: "The board at a glance",
        mediaType: "text/markdown",
        value: board$.pipe(map(toMarkdown)),
      }),
    },
    actions: { ...boardActions(store), ...(exporter && { export_board: exportBoard(exporter) }) },
    links: {
      columns: links({
        description: "One service per column",
        of: board$.pipe(map((board) => board.columns)),
        key: (column) => column.id,
        service: (column) => createColumnService(store, column),
      }),
      open: link({
        description: "The open card",
        service: openId$.pipe(map((id) => (id === undefined ? null : createCardService(store, id)))),
      }),
    },
  })
}
