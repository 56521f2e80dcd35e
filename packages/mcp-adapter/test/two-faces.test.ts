import { createServer, request as send } from "node:http"
import type { AddressInfo } from "node:net"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createFetchHandler, type FetchHandler } from "../src/border/fetch.js"
import { createNodeHandler, type FetchOptions, type NodeHandler } from "../src/border/http.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createBoard } from "./support/board.mjs"

/** A request as any client may send it. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** An answer without parts that differ every time. */
interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const options: FetchOptions = {
  allowedOrigins: ["https://app.example"],
  allowedHeaders: ["X-Own"],
  requestRate: false,
  maxBodyBytes: 2_000,
  maxBodyValues: 60,
}

/** A placeholder for the session of each face. */
const SESSION = "the session"

const maybe = <Value>(...values: readonly Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 })

const headers = fc
  .record({
    host: fc.constantFrom(
      "localhost",
      "localhost",
      "LOCALHOST:80",
      "127.0.0.1",
      "[::1]:1",
      "evil.example",
      "a/b",
      "x:y",
    ),
    origin: maybe("http://localhost:5173", "https://app.example", "https://evil.example", "null", "a b"),
    accept: maybe("application/json, text/event-stream", "*/*", "APPLICATION/JSON", "text/event-stream", "image/png"),
    "content-type": fc.constantFrom(
      ...["application/json", "application/json", "Application/JSON; charset=UTF-8", "text/plain", undefined],
    ),
    "mcp-protocol-version": maybe("2026-07-28", "2025-11-25", "2025-03-26", "1999-01-01", "x"),
    "mcp-session-id": maybe(SESSION, SESSION, "another", "a b"),
    "mcp-method": maybe("tools/list", "tools/call", "ping", "=?base64?eA==?="),
    "mcp-name": maybe("refuse", "agentic://board/count"),
    "last-event-id": maybe("1", "x_2"),
    "x-own": maybe("1"),
    "access-control-request-headers": maybe("x-own, x-other"),
  })
  .map((given) => Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : []))))

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}
const message = fc
  .record({
    jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0", undefined),
    id: fc.constantFrom<unknown>(1, 1, "a", null, 1.5, {}, undefined),
    method: fc.constantFrom<unknown>(
      ...[
        "tools/list",
        "tools/call",
        "resources/read",
        "initialize",
        "ping",
        "server/discover",
        "subscriptions/listen",
      ],
      ...["notifications/initialized", "notifications/cancelled", "unknown", 5, undefined],
    ),
    params: fc.record(
      {
        _meta: fc.constantFrom<unknown>(envelope, envelope, {}, 1),
        name: fc.constantFrom<unknown>("refuse", "undo", "nothing", 1),
        uri: fc.constantFrom<unknown>("agentic://board/count", "nothing", null),
        arguments: fc.constantFrom<unknown>({}, null, [], Array(80).fill(1)),
        notifications: fc.constantFrom<unknown>({}, { resourceSubscriptions: ["x"] }, 1),
        cursor: fc.constantFrom<unknown>("x", 1),
        protocolVersion: fc.constantFrom<unknown>("2025-11-25", "x", 1),
        capabilities: fc.constant({}),
        clientInfo: fc.constantFrom<unknown>({ name: "a", version: "1" }, {}),
      },
      { requiredKeys: [] },
    ),
  })
  .map((given) => ({ ...given }))

const body = fc.oneof(
  { weight: 8, arbitrary: message.map((one) => JSON.stringify(one)) },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 3 }).map((all) => JSON.stringify(all)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "{", "null", "1", "[]", "\ufeff{}", `"${"x".repeat(3_000)}"`, "[".repeat(500)),
  },
)

const asked: fc.Arbitrary<Asked> = fc
  .record({
    method: fc.constantFrom("POST", "POST", "POST", "POST", "POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD"),
    path: fc.constantFrom("/mcp", "/mcp", "/mcp/", "/mcp?x=1", "/other", "/.well-known/oauth-protected-resource"),
    headers,
    body,
  })
  .map((one) => (["GET", "HEAD", "DELETE", "OPTIONS"].includes(one.method) ? { ...one, body: undefined } : one))

describe("The two faces of HTTP", () => {
  let node: NodeHandler
  let other: FetchHandler
  let port = 0
  const adapters = [0, 1].map(() => createMcpAdapter(createBoard().service))
  const server = createServer((request, response) => node.handle(request, response))
  beforeAll(async () => {
    const [first, second] = adapters
    if (first === undefined || second === undefined) throw new Error("unreachable")
    node = createNodeHandler(first, options)
    other = createFetchHandler(second, options)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    port = (server.address() as AddressInfo).port // It listens at a port.
  })
  afterAll(async () => {
    await Promise.all([node.close(), other.close()])
    server.close()
    for (const adapter of adapters) adapter.close()
  })

  it("give the same answers to any possible Request", { timeout: 120_000 }, async () => {
    const faces = [(one: Asked) => askNode(port, one), (one: Asked) => askFetch(other, one)]
    const seen = new Set<number>()
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 6 }), async (all) => {
        const [ofNode, ofFetch] = await Promise.all(faces.map((face) => inSession(face, all)))

        expect(ofNode).toEqual(ofFetch)
        for (const { status } of ofNode ?? []) seen.add(status)
      }),
      { numRuns: 400 },
    )
    expect([...seen]).toEqual(expect.arrayContaining([200, 204, 400, 403, 404, 405, 415]))
  })
})

/** Opens a session, sends requests in it one after another, and ends it. */
async function inSession(face: (one: Asked) => Promise<Answered>, all: readonly Asked[]): Promise<readonly Answered[]> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } }
  const opening = { host: "localhost", "content-type": "application/json" }
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })
  const opened = await face({ method: "POST", path: "/mcp", headers: opening, body: initialize })
  const session = opened.headers["mcp-session-id"] ?? ""
  const answers: Answered[] = []
  for (const one of all) {
    const given = Object.entries(one.headers).map(([name, value]) => [name, value === SESSION ? session : value])
    const { status, headers, body } = await face({ ...one, headers: Object.fromEntries(given) })
    answers.push({
      status,
      headers: { ...headers, ...("mcp-session-id" in headers && { "mcp-session-id": "" }) },
      body,
    })
    const ours = headers["mcp-session-id"]
    if (ours !== undefined) await face(toEnd(ours))
  }
  await face(toEnd(session))
  return answers
}

function toEnd(session: string): Asked {
  return { method: "DELETE", path: "/mcp", headers: { host: "localhost", "mcp-session-id": session }, body: undefined }
}

function askNode(port: number, { method, path, headers, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asking = send({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      const { statusCode = 0 } = response
      const found = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
      const answer = (text: string): void =>
        resolve({ status: statusCode, headers: toComparable(found), body: toData(text) })
      if (staysOpen(String(response.headers["content-type"]), { method, body })) {
        response.destroy()
        return answer("")
      }
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (piece: string) => (text += piece)).on("end", () => answer(text))
    })
    asking.on("error", reject)
    asking.end(body)
  })
}

async function askFetch(handler: FetchHandler, { method, path, headers, body }: Asked): Promise<Answered> {
  const request = new Request(`http://localhost${path}`, { method, headers: { ...headers }, ...(body && { body }) })
  // A string body gets a content type by default.
  if (!("content-type" in headers)) request.headers.delete("content-type")
  const response = await handler.fetch(request, { remoteAddress: "127.0.0.1" })
  const found = toComparable([...response.headers])
  if (staysOpen(response.headers.get("content-type") ?? "", { method, body })) {
    await response.body?.cancel()
    return { status: response.status, headers: found, body: toData("") }
  }
  // A host sends no body for `HEAD`.
  const text = method === "HEAD" ? "" : await response.text()
  return { status: response.status, headers: found, body: toData(text) }
}

/** Checks for a stream that ends only when its client leaves. */
function staysOpen(type: string, { method, body = "" }: Pick<Asked, "method" | "body">): boolean {
  return type.startsWith("text/event-stream") && (method === "GET" || body.includes("subscriptions/listen"))
}

/** Removes headers of the connection. */
function toComparable(headers: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const own = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"]
  return Object.fromEntries(headers.filter(([name]) => !own.includes(name)))
}

/** Parses a body without ids that differ every time. */
function toData(text: string): unknown {
  const stable = text.replaceAll(/^id: .*$/gm, "id:").replaceAll(/[\da-f-]{36}/g, "")
  try {
    return JSON.parse(stable)
  } catch {
    return stable
  }
}
