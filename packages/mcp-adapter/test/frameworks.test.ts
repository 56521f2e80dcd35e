import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json, text } from "node:stream/consumers"
import { createDeferred } from "@x/base"
import { describe, expect, it, onTestFinished } from "vitest"
import { createFetchHandler } from "../src/border/fetch.js"
import { toModern } from "../src/border/http/requests.fixture.js"
import { bearer, createNodeHandler, type FetchOptions, type NodeHandler } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"

const METADATA = "/.well-known/oauth-protected-resource/mcp"
const LISTED = { status: 200, text: expect.stringContaining('"tools"') }
const READ_BEFORE = { status: 400, text: expect.stringContaining("the body was already read") }

function createAdapter() {
  const adapter = createMcpAdapter(createBoard().service)
  onTestFinished(adapter.close)
  const diagnostics: { readonly code: string; readonly message: string }[] = []
  adapter.events.subscribe((event) => {
    if (event.type === "diagnostic") diagnostics.push(event.diagnostic)
  })
  return { adapter, diagnostics }
}

/** Serves MCP from a server whose requests go through `route`. */
async function start(
  route: (mcp: NodeHandler, request: IncomingMessage, response: ServerResponse) => unknown,
  toOptions: (url: string) => FetchOptions = () => ({}),
) {
  const { adapter, diagnostics } = createAdapter()
  let listener: RequestListener = () => {}
  const server = createServer((request, response) => listener(request, response))
  await once(server.listen(0, "127.0.0.1"), "listening")
  // The address of a server that listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const mcp = createNodeHandler(adapter, toOptions(url))
  listener = (request, response) => void route(mcp, request, response)
  onTestFinished(async () => {
    await mcp.close()
    server.closeAllConnections()
    server.close()
  })
  return { url, diagnostics }
}

/** Lists the tools. */
async function list(url: string, headers: Readonly<Record<string, string>> = {}) {
  const { method, body, headers: modern } = toModern("tools/list", {}, headers)
  const sent = Object.fromEntries([...modern].filter(([name]) => name !== "host"))
  const response = await fetch(url, { method, headers: sent, body: await new Response(body).text() })
  return { status: response.status, text: await response.text() }
}

describe("handle", () => {
  it.each([
    ["an empty object", {}],
    ["null", null],
  ])("reads a body itself if a parser has left %s in its place", async (_, left) => {
    const { url } = await start((mcp, request, response) => mcp.handle(request, response, left))

    expect(await list(url)).toMatchObject(LISTED)
  })

  it("takes a body where a parser of the framework has left it", async () => {
    const { url } = await start(async (mcp, raw, response) => {
      const body = await json(raw)
      const reply = { raw: response, hijack: () => {}, getHeaders: () => ({ "x-app": "1" }) }
      return mcp.handle({ raw, body }, reply)
    })
    const { url: ofContext } = await start(async (mcp, req, res) =>
      mcp.handle({ req, res, request: { body: await json(req) } }),
    )

    expect(await list(url)).toMatchObject(LISTED)
    expect(await list(ofContext)).toMatchObject(LISTED)
  })

  it("takes the answer out of a framework's hands, with the headers that were set there", async () => {
    const hijacked: string[] = []
    const { url } = await start((mcp, raw, response) =>
      mcp.handle(
        { raw },
        { raw: response, hijack: () => hijacked.push("reply"), getHeaders: () => ({ "x-app": "1" }) },
      ),
    )
    const context: { respond?: boolean } = {}
    const { url: ofContext } = await start((mcp, req, res) =>
      mcp.handle(Object.assign(context, { req, res, request: {} })),
    )

    const response = await fetch(url)
    await response.text()
    await fetch(ofContext).then((answer) => answer.text())

    expect(response.headers.get("x-app")).toBe("1")
    expect(hijacked).toEqual(["reply"])
    expect(context.respond).toBe(false)
  })

  it("resolves once the answer is over", async () => {
    const { promise, resolve } = createDeferred<boolean>()
    const { url } = await start(async (mcp, request, response) => {
      await mcp.handle(request, response)
      resolve(response.writableFinished)
    })

    await list(url)

    expect(await promise).toBe(true)
  })

  it("reports the expected arguments if it gets others", () => {
    const { adapter } = createAdapter()
    // As plain JavaScript may call it.
    const handle = createNodeHandler(adapter).handle as (...given: readonly unknown[]) => unknown

    expect(() => handle(new Request("http://localhost/"), {})).toThrow(/createFetchHandler/)
  })

  it("tells the operator of a framework that answers in its place, and does no harm", async () => {
    const { url, diagnostics } = await start((mcp, request, response) => {
      void mcp.handle(request, response)
      response.writeHead(404).end("Not Found")
    })

    const answers = await Promise.all([list(url), list(url)])

    expect(answers).toMatchObject([{ status: 404 }, { status: 404 }])
    expect(diagnostics).toMatchObject([
      { code: "answered_elsewhere", message: expect.stringContaining("return or await") },
    ])
  })
})

describe("fetch", () => {
  const toContext = (raw: Request) => ({ req: { raw, text: () => Promise.resolve(kept) } })
  let kept = ""

  it("takes a context, and the body that is kept there", async () => {
    const mcp = createFetchHandler(createAdapter().adapter)
    const raw = toModern("tools/list")
    kept = await raw.text()

    expect(await (await mcp.fetch(toContext(raw), () => {})).text()).toContain('"tools"')
  })

  it("takes the bytes of a body that was read", async () => {
    const mcp = createFetchHandler(createAdapter().adapter)
    const request = toModern("tools/list")

    const response = await mcp.fetch(request, { parsedBody: await request.arrayBuffer() })

    expect(await response.text()).toContain('"tools"')
  })

  it("tells clients apart by the address that the environment of Node's host has", async () => {
    const { adapter, diagnostics } = createAdapter()
    const environment = { incoming: { socket: { remoteAddress: "192.0.2.7" } } }
    const context = { ...toContext(toBroken()), env: environment }

    await createFetchHandler(adapter).fetch(context)

    expect(diagnostics).toMatchObject([{ code: "body_refused", message: expect.stringContaining('"192.0.2.7"') }])
  })

  it("reports the expected arguments if it gets others", () => {
    // As plain JavaScript may call it.
    const call = createFetchHandler(createAdapter().adapter).fetch as (given: unknown) => unknown

    expect(() => call({ url: "/mcp", headers: {} })).toThrow(/createNodeHandler/)
  })
})

function toBroken(): Request {
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: { host: "localhost", "content-type": "application/json" },
    body: "{",
  })
}

describe("a body that was consumed and not kept", () => {
  it("is said to have been read before", async () => {
    const { url } = await start(async (mcp, request, response) => {
      await text(request)
      return mcp.handle(request, response)
    })

    expect(await list(url)).toMatchObject(READ_BEFORE)
  })
})

describe("public metadata", () => {
  const toSignIn = (url: string): FetchOptions => ({
    authenticate: bearer({
      verifier: { verifyAccessToken: () => Promise.reject(new Error("nobody")) },
      resource: new URL(url),
      toPrincipal: ({ clientId }) => ({ id: clientId }),
      issuer: "https://login.example",
    }),
  })
  /** What a router does that is mounted at a prefix. */
  const strip = (request: IncomingMessage): void => {
    request.url = "/"
  }

  it("is found by its whole path behind a router that removes prefixes and keeps the original URL", async () => {
    const { url } = await start((mcp, request, response) => {
      Object.assign(request, { originalUrl: request.url })
      strip(request)
      return mcp.handle(request, response)
    }, toSignIn)

    expect(await (await fetch(new URL(METADATA, url))).json()).toMatchObject({ resource: url })
  })

  it("is missed behind a router that keeps nothing, and the operator reads that the path was taken away", async () => {
    const { url, diagnostics } = await start((mcp, request, response) => {
      strip(request)
      return mcp.handle(request, response)
    }, toSignIn)

    await fetch(url, { method: "POST" })

    await expect
      .poll(() => diagnostics.map(({ message }) => message))
      .toContainEqual(expect.stringMatching(/this endpoint's own 401.* keeps the whole path/))
  })
})

describe("a page of another origin", () => {
  it("is refused with the option that would let it in, which the operator reads too", async () => {
    const { url, diagnostics } = await start((mcp, request, response) => mcp.handle(request, response))

    const answer = await list(url, { origin: "https://app.example" })

    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining("allowedOrigins") })
    expect(diagnostics).toMatchObject([
      { code: "origin_refused", message: expect.stringContaining("https://app.example") },
    ])
  })

  it("is told which header to expose if it comes back without the id of its session", async () => {
    const { url } = await start((mcp, request, response) => mcp.handle(request, response))
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        origin: "http://localhost:5173",
      },
      body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    })

    expect(await response.text()).toContain("Access-Control-Expose-Headers")
  })
})
