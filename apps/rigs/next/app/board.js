import { action, createAgenticService, state } from "@x/agentic-service"
import { connectPage } from "@x/page-bridge"
import { BehaviorSubject } from "rxjs"

export const cards = new BehaviorSubject([])

const board = createAgenticService({
  name: "board",
  states: { cards: state({ schema: { type: "array", items: { type: "string" } }, value: cards }) },
  actions: {
    add: action({
      description: "Add a card",
      input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
      execute: ({ title }) => cards.next([...cards.value, title]),
    }),
  },
})

// Next renders client components on the server first, where there is no page to connect.
if ("document" in globalThis) connectPage(board)
