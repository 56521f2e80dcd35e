import { type ActionDeclaration, type AgenticService, action, createAgenticService, state } from "@x/agentic-service"
import { filter, map } from "rxjs"
import { type Card, DONE } from "../board/board.js"
import type { BoardStore } from "../board/board-store.js"
import { CardSchema } from "./card-schema.js"
import { noSuch } from "./no-such.js"
import { Titled } from "./titled.js"

/** Creates the open card's service for agents. It exists while the card is open. */
export function createCardService(store: BoardStore, id: string): AgenticService {
  const card$ = store.openCard$.pipe(filter((card): card is Card => card?.id === id))
  return createAgenticService({
    name: "card",
    description: "The open card",
    states: {
      card: state({ description: "The current card", schema: CardSchema, value: card$ }),
    },
    actions: {
      edit: edit(store, id),
      move: move(store, id),
      comment: comment(store, id),
      complete: action({
        description: "Complete this card: move it to the finished ones",
        when: { is: card$.pipe(map((card) => card.column !== DONE)), otherwise: "the card is finished already" },
        execute: () => store.changeCard(id, { column: DONE }),
      }),
      close: action({
        description: "Close this card; it stays on the board",
        execute: () => store.closeCard(),
      }),
    },
  })
}

function edit(store: BoardStore, id: string): ActionDeclaration {
  return action({
    description: "Change the title or the notes of this card",
    idempotent: true,
    input: {
      type: "object",
      properties: { ...Titled.properties, notes: { type: "string", description: "Replaces the notes" } },
      minProperties: 1,
      additionalProperties: false,
    },
    execute: (change) => store.changeCard(id, change),
  })
}

function move(store: BoardStore, id: string): ActionDeclaration {
  return action({
    description: "Move this card to another column",
    idempotent: true,
    input: {
      type: "object",
      properties: { column: { type: "string", description: "The id of a column" } },
      required: ["column"],
      additionalProperties: false,
    },
    async execute({ column }) {
      const { columns } = store.board()
      if (!columns.some((other) => other.id === column)) return noSuch("column", column, columns)
      await store.changeCard(id, { column })
      return undefined
    },
  })
}

function comment(store: BoardStore, id: string): ActionDeclaration {
  return action({
    description: "Add a comment to this card",
    input: {
      type: "object",
      properties: { text: { type: "string", minLength: 1 } },
      required: ["text"],
      additionalProperties: false,
    },
    async execute({ text }) {
      const card = store.board().cards.find((other) => other.id === id)
      await store.changeCard(id, { comments: [...(card?.comments ?? []), text] })
    },
  })
}
