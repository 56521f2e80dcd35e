import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import type { Client } from "@modelcontextprotocol/client"
import { type BrowserOptions, openBrowser, openPlainBrowser, servePage } from "@x/browser-rig"
import { createMcpAdapter, type McpAdapterOptions } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { filter, firstValueFrom } from "rxjs"
import type { ConnectedTab } from "../src/host.js"
import { type AcceptedPages, type AcceptOptions, acceptPages } from "../src/node.js"
import type { BoardGiven } from "./board.fixture.js"
import { connectOverHttp, type Era, type Person, type Seen } from "./http-client.fixture.js"

/** A host of pages, its MCP server, and a browser with the board's page. */
export interface Rig {
  readonly pages: AcceptedPages
  /** Opens a tab of the board, and waits until it is connected. */
  open(query?: string): Promise<Page>
  /** Connects a client over HTTP. */
  connect(era: Era, person?: Person): Promise<Seen>
  /** Waits until the connected tabs satisfy a condition. */
  tabs(holds: (tabs: readonly ConnectedTab[]) => boolean): Promise<void>
  /** Asks which tab answers until it has that title. A tab must be in front for a moment first. */
  answersAs(client: Seen, title: string): Promise<string>
  readonly browser: Browser
  readonly context: BrowserContext
  /** Breaks all pages' sockets. */
  drop(): void
  readonly origin: string
  readonly wsUrl: string
  close(): Promise<void>
}

/** Starts everything. `given` is passed to the page. */
export async function startRig(
  {
    given = {},
    tasks = {},
    ...options
  }: AcceptOptions & {
    readonly given?: Partial<BoardGiven>
    readonly flags?: readonly string[]
    readonly tasks?: NonNullable<McpAdapterOptions["tasks"]>
  } = {},
  browserOptions: BrowserOptions & { readonly plain?: boolean } = {},
): Promise<Rig> {
  const server = createServer()
  const sockets = new Set<Duplex>()
  server.on("connection", (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const wsUrl = `ws://localhost:${port}/mcp/pages`
  const toBeGiven: { -readonly [key in keyof BoardGiven]: BoardGiven[key] } = { url: wsUrl, ...given }
  const page = await servePage(new URL("./board.fixture.ts", import.meta.url), { given: toBeGiven })
  const pages = acceptPages(server, { allowedOrigins: [page.origin], ...options })
  if (pages.token !== undefined) toBeGiven.token ??= pages.token
  const adapter = createMcpAdapter(pages, { tasks })
  const http = await serveHttp(adapter, { port: 0 })
  const { browser, context, closeBrowser } = await openContext(browserOptions)
  const clients: Client[] = []
  return {
    pages,
    browser,
    context,
    drop() {
      for (const socket of sockets) socket.destroy()
    },
    origin: page.origin,
    wsUrl,
    async tabs(holds) {
      await firstValueFrom(pages.tabs.pipe(filter(holds)))
    },
    async answersAs({ client }, title) {
      for (;;) {
        const { structuredContent } = await client.callTool({ name: "board__where", arguments: {} })
        const { result } = Object(structuredContent)
        if (result === title) return title
      }
    },
    async open(query = "") {
      const tab = await context.newPage()
      await tab.goto(page.url + query)
      await connected(tab)
      return tab
    },
    async connect(era, person) {
      const seen = await connectOverHttp(http.url, era, person)
      clients.push(seen.client)
      return seen
    },
    async close() {
      for (const client of clients) await client.close()
      await closeBrowser()
      await http.close()
      pages.close()
      adapter.close()
      server.close()
      await page.close()
    },
  }
}

/** Playwright treats every page as in front, unless `plain` asks for normal focus. */
async function openContext({ plain = false, ...options }: BrowserOptions & { readonly plain?: boolean }) {
  if (!plain) {
    const browser = await openBrowser(options)
    return { browser, context: await browser.newContext(), closeBrowser: () => browser.close() }
  }
  const { browser, close } = await openPlainBrowser()
  const [context] = browser.contexts()
  if (context === undefined) throw new Error("a browser has a first context")
  return { browser, context, closeBrowser: close }
}

/** Waits until the page is connected. */
export async function connected(tab: Page): Promise<void> {
  await tab.waitForFunction(() => Reflect.get(globalThis, "statuses")?.at(-1) === '{"state":"connected"}')
}
