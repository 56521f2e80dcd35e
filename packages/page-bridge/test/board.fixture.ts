// A page with a board, as applications build it: service, button, and the line that connects it.
import { action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject, map } from "rxjs"
import { connectPage } from "../src/index.js"

/** Parameters that a test passes to the page. */
export interface BoardGiven {
  readonly url: string
  readonly token?: string
  readonly app?: string
  /** Actions that only this page has. */
  readonly extra?: string
}

// Set by the page that the test serves.
const { given } = globalThis as unknown as { readonly given: BoardGiven }
const parameters = new URLSearchParams(location.search)
const extra = parameters.get("extra") ?? given.extra

const cards = new BehaviorSubject<readonly string[]>(parameters.getAll("card"))
const add = (title: string): void => cards.next([...cards.value, title])

const ends = { running: false, finish: () => {} }
const settings = createAgenticService({
  name: "settings",
  states: { theme: state({ schema: { type: "string" }, value: "dark" }) },
  actions: { reset: action({ description: "Reset the settings", execute: () => {} }) },
})

const board = createAgenticService({
  name: "board",
  description: "Cards",
  states: {
    cards: state({ description: "All cards", schema: { type: "array", items: { type: "string" } }, value: cards }),
  },
  actions: {
    add: action({
      description: "Add a card",
      input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
      execute: ({ title }) => add(title),
    }),
    clear: action({
      description: "Delete every card",
      destructive: true,
      when: { is: cards.pipe(map((all) => all.length > 0)), otherwise: "there is no card" },
      execute: () => cards.next([]),
    }),
    wipe: action({
      description: "Deletes the whole board",
      destructive: true,
      confirm: () => "Delete this board?",
      execute: () => cards.next([]),
    }),
    slow: action({
      description: "Takes its time",
      ...(parameters.has("long") && { long: true }),
      execute: () =>
        new Promise<void>((resolve) => {
          ends.running = true
          ends.finish = resolve
        }),
    }),
    where: action({
      description: "Says which tab it is",
      readOnly: true,
      output: { type: "string" },
      execute: () => document.title,
    }),
    ...(extra && { [extra]: action({ description: "Only here", execute: () => {} }) }),
  },
  links: { settings: link({ service: settings }) },
})

document.title = parameters.get("title") ?? "Board"
const page = connectPage(board, given)
const statuses: string[] = []
page.status.subscribe((status) => statuses.push(JSON.stringify(status)))

const titles = (): readonly string[] => cards.value
Object.assign(globalThis, { add, titles, page, statuses, finish: () => ends.finish(), running: () => ends.running })
