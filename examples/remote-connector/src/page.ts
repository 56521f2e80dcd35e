// The product's page: a basket, and one call that lets the host of whoever is signed in see and fill it.
import { action, createAgenticService, state } from "@x/agentic-service"
import { connectPage } from "@x/page-bridge"
import { BehaviorSubject } from "rxjs"

const items$ = new BehaviorSubject<readonly string[]>([])
const shop = createAgenticService({
  name: "shop",
  description: "A shop, as the person has it open",
  states: {
    basket: state({
      description: "What is in the basket",
      schema: { type: "array", items: { type: "string" } },
      value: items$,
    }),
  },
  actions: {
    add: action({
      description: "Put something into the basket",
      input: {
        type: "object",
        properties: { item: { type: "string" } },
        required: ["item"],
        additionalProperties: false,
      },
      execute: ({ item }) => items$.next([...items$.value, item]),
    }),
  },
})

items$.subscribe((items) => {
  document.body.dataset["basket"] = items.join(",")
})
// Its session cookie goes with it: the backend knows whose page it is.
connectPage(shop).status.subscribe(({ state: now }) => {
  document.body.dataset["state"] = now
})
