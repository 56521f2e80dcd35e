// A page server, with everything that tests open. All of it is closed after each test.
import { type AgenticService, action, createAgenticService, state } from "@x/agentic-service"
import { createTestClient, type TestClient, type TestClientOptions } from "@x/testing"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { onTestFinished } from "vitest"
import { type AcceptedPages, type AcceptOptions, acceptPages } from "../src/node.js"
import { listenOnLoopback, openRawPage, type RawPageOptions } from "./raw-page.fixture.js"

/** Closes something after the test, the last opened first. */
export function endLater(...closes: readonly (() => unknown)[]): void {
  for (const close of closes) onTestFinished(async () => void (await close()))
}

/** Starts a server that accepts pages. */
export async function accept(options: AcceptOptions = {}) {
  const { server, port } = await listenOnLoopback()
  const pages = acceptPages(server, { reloadMs: 100, switchMs: 0, ...options })
  endLater(() => {
    pages.close()
    server.closeAllConnections()
    server.close()
  })
  const open = async (service: AgenticService | undefined, page: Partial<RawPageOptions> = {}) => {
    const opened = await openRawPage(service, { port, token: pages.token, ...page })
    endLater(() => opened.socket.terminate())
    return opened
  }
  return { pages, port, open }
}

/** Connects a client to a service. */
export async function meet(service: AgenticService, options: TestClientOptions = {}) {
  const client = await createTestClient(service, options)
  endLater(() => client.client.close())
  return client
}

/** Waits until the listed members satisfy a condition, checked again on each change. */
export async function until({ adapter }: TestClient, holds: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const next = firstValueFrom(adapter.events.pipe(filter(({ type }) => type === "changed")))
    if (await holds()) return
    await next
  }
}

/** Creates a board that gets one card per call. */
export function createBoard(name = "board", extra: readonly string[] = []) {
  const cards = new BehaviorSubject(0)
  const extras = extra.map((key) => [key, action({ description: key, execute: () => {} })] as const)
  const service = createAgenticService({
    name,
    states: { cards: state({ schema: { type: "integer" }, value: cards }) },
    actions: {
      add: action({ description: "Add a card", execute: () => cards.next(cards.value + 1) }),
      count: action({
        description: "Count the cards",
        readOnly: true,
        output: { type: "integer" },
        execute: () => cards.value,
      }),
      ...Object.fromEntries(extras),
    },
  })
  return { service, cards }
}

/** Waits until a number of tabs are connected. */
export const hasTabs = (pages: AcceptedPages, count: number) =>
  firstValueFrom(pages.tabs.pipe(filter((tabs) => tabs.length === count)))
