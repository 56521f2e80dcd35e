// The tests' page: a small shop, offered to the browser, with data for the tests to inspect.
import { action, createAgenticService, fail, link, state } from "@x/agentic-service"
import { BehaviorSubject, map } from "rxjs"
import { offerToBrowser } from "./offer-to-browser.js"
import type { WebMcpOptions } from "./webmcp-offer.js"

const items$ = new BehaviorSubject<readonly string[]>([])
const some = { is: items$.pipe(map((items) => items.length > 0)), otherwise: "the basket is empty" }
const checkout = createAgenticService({
  name: "checkout",
  actions: {
    pay: action({
      description: "Pay for all",
      destructive: true,
      confirm: () => `Pay for ${items$.value.length} items?`,
      execute: () => items$.next([]),
    }),
  },
})
const shop = createAgenticService({
  name: "shop",
  states: {
    basket: state({
      description: "What is in the basket",
      schema: { type: "array", items: { type: "string" } },
      value: items$,
    }),
  },
  actions: {
    add: action({
      title: "Add to basket",
      description: "Put something in the basket",
      input: {
        type: "object",
        properties: { item: { type: "string" } },
        required: ["item"],
        additionalProperties: false,
      },
      output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
      execute: ({ item }) => {
        items$.next([...items$.value, item])
        return { count: items$.value.length }
      },
    }),
    clear: action({ description: "Take all out", when: some, destructive: true, execute: () => items$.next([]) }),
    search: action({
      description: "Search the shop",
      readOnly: true,
      openWorld: true,
      execute: () => fail("the shop is closed", { code: "closed", recovery: "come back tomorrow" }),
    }),
    wait: action({
      description: "Wait to be stopped",
      execute: (_: undefined, { signal }) =>
        new Promise<undefined>((resolve) => {
          signal.addEventListener("abort", () => {
            page.stopped += 1
            resolve(undefined)
          })
          page.waiting += 1
        }),
    }),
  },
  links: {
    checkout: link({ description: "Where one pays", service: some.is.pipe(map((is) => (is ? checkout : null))) }),
  },
})

// Set up by a test before this script runs, and inspected by it.
const page = globalThis as unknown as {
  given: { prefix?: string; answer?: "yes" | "declined" } | null
  waiting: number
  stopped: number
  asked: string[]
  statuses: string[]
  offer: ReturnType<typeof offerToBrowser>
}
page.waiting = 0
page.stopped = 0
page.asked = []
page.statuses = []
const { prefix, answer } = page.given ?? {}
const options: WebMcpOptions = {
  ...(prefix !== undefined && { prefix }),
  ...(answer !== undefined && {
    ask(questions) {
      page.asked.push(...Object.values(questions).map(({ message }) => message))
      return answer === "yes" ? {} : "declined"
    },
  }),
}
page.offer = offerToBrowser(shop, options)
page.offer.status.subscribe((status) => page.statuses.push(JSON.stringify(status)))
