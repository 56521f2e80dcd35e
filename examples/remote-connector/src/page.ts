// The product's page: a basket, and one call that lets the signed-in person's host see and fill it.
import { action, createAgenticService, state } from "@x/agentic-service"
import { connectPage } from "@x/page-bridge"
import { BehaviorSubject } from "rxjs"

const items$ = new BehaviorSubject<readonly string[]>([])
const shop = createAgenticService({
  name: "shop",
  description: "The shop that the person has open",
  states: {
    basket: state({
      description: "The items in the basket",
      schema: { type: "array", items: { type: "string" } },
      value: items$,
    }),
  },
  actions: {
    add: action({
      description: "Add an item to the basket",
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
// The browser sends the session cookie, so the backend knows whose page this is.
connectPage(shop).status.subscribe(({ state: now }) => {
  document.body.dataset["state"] = now
})
