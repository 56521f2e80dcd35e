import { type ActionDeclaration, action, fail } from "@x/agentic-service"
import { map } from "rxjs"
import { DONE } from "../board/board.js"
import type { BoardStore } from "../board/board-store.js"
import { noSuch } from "./no-such.js"
import { Created, Titled } from "./titled.js"

/** Returns an agent's actions on the whole board. */
export function boardActions(store: BoardStore): Readonly<Record<string, ActionDeclaration>> {
  const someDone$ = store.board$.pipe(map(({ cards }) => cards.some((card) => card.column === DONE)))
  return {
    add: addCard(store),
    open_card: openCard(store),
    add_column: action({
      description: "Add a column, which has actions of its own",
      input: Titled,
      output: Created,
      execute: async ({ title }) => ({ id: (await store.addColumn(title)).id }),
    }),
    undo: action({
      description: "Undo the last change of the board",
      when: { is: store.canUndo$, otherwise: "there is nothing to undo; change the board first" },
      execute: async () => ((await store.undo()) ? undefined : fail("there is nothing to undo")),
    }),
    redo: action({
      description: "Redo the last undone change",
      when: { is: store.canRedo$, otherwise: "there is nothing to redo; undo a change first" },
      execute: async () => ((await store.redo()) ? undefined : fail("there is nothing to redo")),
    }),
    archive: action({
      description: "Remove all finished cards from the board",
      when: { is: someDone$, otherwise: "no card is finished; complete one first" },
      execute: async () => ({ archived: await store.archive() }),
    }),
    clear: action({
      description: "Delete every card",
      destructive: true,
      confirm: () => `Delete ${store.board().cards.length} cards?`,
      execute: async () => ({ deleted: await store.clear() }),
    }),
  }
}

function addCard(store: BoardStore): ActionDeclaration {
  return action({
    description: "Add a card, to the first column unless another is named",
    input: {
      type: "object",
      properties: { ...Titled.properties, column: { type: "string", description: "The id of a column" } },
      required: ["title"],
      additionalProperties: false,
    },
    output: Created,
    async execute({ title, column }) {
      const { columns } = store.board()
      if (column !== undefined && !columns.some(({ id }) => id === column)) return noSuch("column", column, columns)
      return { id: (await store.addCard(title, column)).id }
    },
  })
}

function openCard(store: BoardStore): ActionDeclaration {
  return action({
    description: "Open a card, to work on it with the actions of the open card",
    idempotent: true,
    input: {
      type: "object",
      properties: { id: { type: "string", description: "The id of a card" } },
      required: ["id"],
      additionalProperties: false,
    },
    execute({ id }) {
      const { cards } = store.board()
      if (!cards.some((card) => card.id === id)) return noSuch("card", id, cards)
      store.openCard(id)
      return undefined
    },
  })
}
