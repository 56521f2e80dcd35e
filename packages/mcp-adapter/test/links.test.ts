import { createServer } from "node:http"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { action, createAgenticService, link, links, state } from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom, map } from "rxjs"
import { describe, expect, it } from "vitest"
import { createNodeHandler, type HttpOptions, serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter, type McpAdapter } from "../src/create-adapter.js"
import type { McpAdapterOptions } from "../src/options.js"
import { createClient, createHttpTransport, type Era } from "./support/connect.js"

const ERAS = ["legacy", "modern"] as const

describe("links as endpoints", () => {
  it.each(ERAS)("gives each service its own tools and states, under plain names, to a %s client", async (era) => {
    const { url, close } = await serveLibrary()
    const root = await connect(url, era)
    const book = await connect(`${url}/links/books/dune`, era)

    expect(await namesOf(root)).toEqual(["get_state", "list_links", "run_action", "close"])
    expect(await namesOf(book)).toEqual(["get_state", "list_links", "run_action", "add_page", "remove"])
    expect((await root.listResources()).resources.map(({ uri }) => uri)).toEqual(["agentic://library/open"])
    expect((await book.listResources()).resources.map(({ uri }) => uri)).toEqual(["agentic://library/books/dune/pages"])
    await close(root, book)
  })

  it.each(ERAS)("calls and reads on the endpoint of a nested link, for a %s client", async (era) => {
    const { url, close } = await serveLibrary()
    const client = await connect(`${url}/links/books/dune/author`, era)

    const read = await client.callTool({ name: "get_state" })
    const called = await client.callTool({ name: "write" })

    expect(JSON.parse(textOf(read))).toEqual({ name: "Frank" })
    expect(textOf(called)).toContain("written")
    await close(client)
  })

  it.each(ERAS)("notifies a %s client of its own service's changes only", async (era) => {
    const { url, pages, close } = await serveLibrary()
    const book = await follow(`${url}/links/books/dune`, era, "agentic://library/books/dune/pages")
    const other = await follow(`${url}/links/books/emma`, era, "agentic://library/books/emma/pages")

    pages("dune").next(8)
    expect(await book.told).toBe("agentic://library/books/dune/pages")
    pages("emma").next(9)

    expect(await other.told).toBe("agentic://library/books/emma/pages")
    await close(book.client, other.client)
  })

  it("tells where each link is, by any path that leads there", async () => {
    const { url, open, close } = await serveLibrary()
    open("dune")
    const root = await connect(url, "modern")
    const books = await connect(`${url}/links/books`, "modern")

    expect(JSON.parse(textOf(await root.callTool({ name: "list_links" })))).toEqual({
      links: [
        { path: "books", url: "/mcp/links/books", service: "books", description: "One per book" },
        { path: "books/dune", url: "/mcp/links/open", service: "book" },
        { path: "books/emma", url: "/mcp/links/books/emma", service: "book" },
        { path: "books/emma/author", url: "/mcp/links/books/emma/author", service: "author" },
        { path: "open", url: "/mcp/links/open", service: "book" },
        { path: "open/author", url: "/mcp/links/open/author", service: "author" },
      ],
    })
    expect(JSON.parse(textOf(await books.callTool({ name: "list_links" })))).toMatchObject({
      links: [
        { path: "dune", url: "/mcp/links/open" },
        { path: "emma", url: "/mcp/links/books/emma" },
        { path: "emma/author", url: "/mcp/links/books/emma/author" },
      ],
    })
    await close(root, books)
  })

  it("continues when a service gets another canonical path, and publishes its states there", async () => {
    const { url, open, close } = await serveLibrary()
    const book = await connect(`${url}/links/books/dune`, "legacy")

    open("dune")

    expect((await book.listResources()).resources.map(({ uri }) => uri)).toEqual(["agentic://library/open/pages"])
    expect(await namesOf(book)).toContain("add_page")
    await close(book)
  })

  it.each(ERAS)(
    "continues with a service recreated with an equal id, and notifies a %s client of its new value",
    async (era) => {
      const page = (number: number) =>
        createAgenticService({
          name: "page",
          id: "the-open-page",
          states: { number: state({ schema: { type: "number" }, value: new BehaviorSubject(number) }) },
        })
      const here = new BehaviorSubject(page(1))
      const adapter = createMcpAdapter(createAgenticService({ name: "book", links: { here: link({ service: here }) } }))
      const server = await serveHttp(adapter, { port: 0, links: "endpoints" })
      const uri = "agentic://book/here/number"
      const { client, told } = await follow(`${server.url}/links/here`, era, uri)
      expect((await client.readResource({ uri })).contents).toMatchObject([{ text: "1" }])

      here.next(page(2))

      expect(await told).toBe(uri)
      expect((await client.readResource({ uri })).contents).toMatchObject([{ text: "2" }])
      await client.close()
      await server.close()
      adapter.close()
    },
  )

  it("ends the sessions of a link that vanishes, and answers 404 there", async () => {
    const { adapter, url, books, close } = await serveLibrary()
    const client = await connect(`${url}/links/books/dune`, "legacy")
    const other = await connect(`${url}/links/books/emma`, "legacy")
    const ended = new Promise<void>((resolve) => {
      client.onerror = () => resolve()
    })
    expect(adapter.ledger.counts().session).toBe(2)

    books.next(["emma"])

    await ended
    expect(adapter.ledger.counts().session).toBe(1)
    await expect(client.listTools()).rejects.toThrow("no MCP endpoint at this path")
    expect((await post(`${url}/links/books/dune`)).status).toBe(404)
    expect((await post(`${url}/links/books/dune/author`)).status).toBe(404)
    expect(await namesOf(other)).toContain("add_page")
    await close(client, other)
  })

  it("ends the listen streams of a vanished link, and finds it again when it returns", async () => {
    const { url, books, close } = await serveLibrary()
    const client = await connect(`${url}/links/books/dune`, "modern")
    const listening = await client.listen({ toolsListChanged: true })

    books.next(["emma"])

    expect(await listening.closed).toBe("graceful")
    await expect(client.listTools()).rejects.toThrow()
    books.next(["dune"])
    expect(await namesOf(client)).toContain("add_page")
    await close(client)
  })

  it.each(ERAS)("answers the call of a %s client that removes its own link", async (era) => {
    const { url, close } = await serveLibrary()
    const client = await connect(`${url}/links/books/dune`, era)

    expect(textOf(await client.callTool({ name: "remove" }))).toContain("removed")

    await expect(client.listTools()).rejects.toThrow()
    await close(client)
  })

  it("ends a session whose path leads elsewhere, even if another path reaches its service", async () => {
    const { url, open, close } = await serveLibrary()
    open("dune")
    const client = await connect(`${url}/links/open`, "legacy")
    const ended = new Promise<void>((resolve) => {
      client.onerror = () => resolve()
    })

    open("emma")

    await ended
    await expect(client.listTools()).rejects.toThrow("Session not found")
    await close(client)
  })

  it("serves no session at another path than its own", async () => {
    const { url, close } = await serveLibrary()
    const client = await connect(`${url}/links/books/dune`, "legacy")
    const headers = {
      "mcp-session-id": client.transport?.sessionId ?? "",
      accept: "application/json, text/event-stream",
    }

    for (const path of ["", "/links/books/emma"]) expect((await post(`${url}${path}`, headers)).status).toBe(404)

    await close(client)
  })

  it.each(ERAS)("hides denied entries from a %s client", async (era) => {
    const { url, close } = await serveLibrary(
      { principal: (request) => ({ id: request.headers.get("authorization") ?? "" }) },
      {
        // Uses names and paths of the whole graph.
        allow: (principal, entry) =>
          principal?.id === "ann" ||
          (entry.kind === "link" && entry.path.join("/") !== "books/emma") ||
          (entry.kind === "tool" && entry.name !== "books__dune__remove"),
      },
    )
    const ann = await connect(`${url}/links/books/dune`, era, "ann")
    const bob = await connect(`${url}/links/books/dune`, era, "bob")

    expect(await namesOf(ann)).toContain("remove")
    expect(await namesOf(bob)).not.toContain("remove")
    await expect(bob.callTool({ name: "remove" })).rejects.toThrow()
    expect((await bob.listResources()).resources).toEqual([])
    expect((await post(`${url}/links/books/emma`, { authorization: "bob" })).status).toBe(404)
    expect((await post(`${url}/links/books/emma`, { authorization: "ann" })).status).not.toBe(404)
    await close(ann, bob)
  })

  it("gives each principal the links of its own service", async () => {
    const [ann, bob] = [createLibrary(["dune"]), createLibrary(["emma"])]
    const adapter = createMcpAdapter((principal) => (principal?.id === "ann" ? ann : bob).service, { name: "library" })
    const server = await serveHttp(adapter, {
      port: 0,
      links: "endpoints",
      principal: (request) => ({ id: request.headers.get("authorization") ?? "" }),
    })
    const client = await connect(`${server.url}/links/books/dune`, "modern", "ann")

    expect(await namesOf(client)).toContain("add_page")
    expect((await post(`${server.url}/links/books/dune`, { authorization: "bob" })).status).toBe(404)
    await client.close()
    await server.close()
    adapter.close()
    expect(held(adapter)).toEqual({})
  })

  it("keeps services open up to the limit, and makes room by closing an idle one", async () => {
    const { url, close } = await serveLibrary({}, { principals: { max: 2 } })
    const dune = await connect(`${url}/links/books/dune`, "legacy")
    const emma = await connect(`${url}/links/books/emma`, "legacy")
    await expect(connect(`${url}/links/books`, "modern")).rejects.toThrow()

    if (emma.transport instanceof StreamableHTTPClientTransport) await emma.transport.terminateSession()
    const books = await connect(`${url}/links/books`, "modern")

    expect(await namesOf(books)).toContain("list_links")
    await close(dune, emma, books)
  })

  it("is served behind a router that strips the prefix it is mounted at", async () => {
    const adapter = createMcpAdapter(createLibrary().service)
    const handler = createNodeHandler(adapter, { links: "endpoints", path: "/api/mcp" })
    const server = createServer((request, response) => {
      request.url = request.url?.replace("/api/mcp", "") ?? ""
      void handler.handle(request, response)
    })
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve)
    })
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/api/mcp`
    const client = await connect(`${url}/links/books/dune`, "modern")

    expect(await namesOf(client)).toContain("add_page")
    expect(textOf(await client.callTool({ name: "list_links" }))).toContain("/api/mcp/links/books/dune/author")
    expect((await post(`${url}/other`)).status).toBe(404)
    await client.close()
    await handler.close()
    server.closeAllConnections()
    server.close()
    adapter.close()
  })

  it("serves stateless clients", async () => {
    const { url, books, close } = await serveLibrary({ legacy: "stateless" })
    const client = await connect(`${url}/links/books/dune`, "stateless")

    expect(await namesOf(client)).toContain("add_page")
    books.next([])
    await expect(client.listTools()).rejects.toThrow("no MCP endpoint at this path")
    await close(client)
  })

  it("falls back to namespaced names where there is no HTTP, and says so", async () => {
    const adapter = createMcpAdapter(createLibrary(["dune"]).service)
    const said = firstValueFrom(adapter.events.pipe(filter((event) => event.type === "diagnostic")))
    const client = createClient("modern")

    await client.connect(connectInMemory(adapter, { links: "endpoints" }))

    expect(await said).toMatchObject({ diagnostic: { code: "links_unsupported" } })
    expect(await namesOf(client)).toContain("books__dune__add_page")
    await client.close()
    adapter.close()
  })
})

/** Creates a library whose books come and go; one may be open. */
function createLibrary(ids: readonly string[] = ["dune", "emma"]) {
  const books = new BehaviorSubject(ids)
  const openBook = new BehaviorSubject<string | null>(null)
  const pages = new Map(["dune", "emma"].map((id) => [id, new BehaviorSubject(0)]))
  const pagesOf = (id: string) => pages.get(id) ?? new BehaviorSubject(0)
  const createBook = (id: string) => {
    const author = createAgenticService({
      name: "author",
      states: { name: state({ schema: {}, value: "Frank" }) },
      actions: { write: action({ description: "Write", output: { type: "string" }, execute: () => "written" }) },
    })
    return createAgenticService({
      name: "book",
      states: { pages: state({ schema: {}, value: pagesOf(id) }) },
      actions: {
        add_page: action({ description: "Add a page", execute: () => pagesOf(id).next(pagesOf(id).value + 1) }),
        remove: action({
          description: "Take the book away",
          output: { type: "string" },
          async execute() {
            books.next(books.value.filter((other) => other !== id))
            // Waits beyond the task's end, which detects the missing link.
            await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
            return "removed"
          },
        }),
      },
      links: { author: link({ service: author }) },
    })
  }
  const services = new Map(["dune", "emma"].map((id) => [id, createBook(id)]))
  const serviceOf = (id: string) => services.get(id) ?? createBook(id)

  const service = createAgenticService({
    name: "library",
    states: { open: state({ schema: {}, value: openBook }) },
    actions: { close: action({ description: "Close the open book", execute: () => openBook.next(null) }) },
    links: {
      books: links({ description: "One per book", of: books, key: (id) => id, service: serviceOf }),
      open: link({ service: openBook.pipe(map((id) => (id === null ? null : serviceOf(id)))) }),
    },
  })
  return { service, books, pages: pagesOf, open: (id: string) => openBook.next(id) }
}

async function serveLibrary(options: HttpOptions = {}, adapterOptions: McpAdapterOptions = {}) {
  const { service, ...library } = createLibrary()
  const adapter = createMcpAdapter(service, adapterOptions)
  const server = await serveHttp(adapter, { port: 0, links: "endpoints", ...options })
  const close = async (...clients: readonly { close(): Promise<void> }[]) => {
    for (const client of clients) await client.close()
    await server.close()
    adapter.close()
    expect(held(adapter)).toEqual({})
  }
  return { ...library, adapter, url: server.url, close }
}

async function connect(url: string, era: Era | "stateless", authorization?: string) {
  const client = createClient(era === "modern" ? "modern" : "legacy")
  const { transport, streaming } = createHttpTransport(url, authorization)
  await client.connect(transport)
  if (era === "legacy") await streaming
  return client
}

/** Creates a client that follows a state, and returns the first updated one. */
async function follow(url: string, era: Era, uri: string) {
  const client = await connect(url, era)
  const told = new Promise<string>((resolve) => {
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri))
  })
  if (era === "modern") await client.listen({ resourceSubscriptions: [uri] })
  else await client.subscribeResource({ uri })
  return { client, told }
}

/** Sends a list request, in the modern era unless `headers` names a session. */
function post(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
  return fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body })
}

async function namesOf(client: { listTools(): Promise<{ tools: { name: string }[] }> }): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name)
}

function textOf(result: object): string {
  const [block] = "content" in result && Array.isArray(result.content) ? result.content : []
  return block?.text ?? ""
}

/** Returns open resources with a count above 0. */
function held({ ledger }: McpAdapter): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(ledger.counts()).filter(([, count]) => count > 0))
}
