import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Upstream, UpstreamEvent } from "../src/index.js"
import { fromMcpServer } from "../src/node.js"
import { listen } from "./http-server.js"

const SECRETS = ["q-secret-1", "p%40ss-word", "p@ss-word", "h-secret-2", "0123456789abcdef0123", "user-name"]

describe("a secret in a URL, its query or its headers", () => {
  it.each([401, 403, 404, 500, 200])(
    "appears in no event and no answer, although the server repeats it: %i",
    async (status) => {
      const url = await listen((request, response) =>
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(JSON.stringify({ asked: request.url, headers: request.headers, raw: SECRETS })),
      )
      const told: unknown[] = []
      const server = take(url, told)

      await firstValueFrom(server.status.pipe(filter(({ state }) => state === "waiting" || state === "down")))
      const reply = await server.execute("any", {})

      expect(reveal([told, reply])).toEqual([])
    },
  )

  it("appears in no refusal and no fault of a list", async () => {
    const url = await listen((request, response, body) => {
      const { id, method } = JSON.parse(body || "{}")
      const refusal = { code: -32000, message: `no: ${SECRETS}`, data: { url: request.url, raw: SECRETS } }
      const answers = new Map<string, object>([
        [
          "initialize",
          {
            result: {
              protocolVersion: "2025-11-25",
              capabilities: { tools: {}, prompts: {} },
              serverInfo: { name: "s", version: "1" },
            },
          },
        ],
        ["tools/list", { result: { tools: [{ name: "go", inputSchema: { type: "object" } }] } }],
      ])
      if (id === undefined) return response.writeHead(202).end()
      const answer = answers.get(method) ?? { error: refusal }
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
    })
    const told: unknown[] = []
    const server = take(url, told)
    await firstValueFrom(server.actions)

    const reply = await server.execute("go", {})

    expect(reply).toMatchObject({ ok: false, refusal: { code: -32000 } })
    expect(told).toContainEqual(expect.objectContaining({ code: "list_failed" }))
    expect(reveal([told, reply])).toEqual([])
  })

  it("of a name and password reaches the server as a header", async () => {
    const asked: unknown[] = []
    const url = await listen((request, response) => {
      asked.push(request.headers.authorization)
      return response.writeHead(401).end()
    })
    const server = take(url, [])

    await firstValueFrom(server.status.pipe(filter(({ state }) => state === "waiting" || state === "down")))

    expect(asked).toContain(`Basic ${btoa("user-name:p@ss-word")}`)
  })
})

describe("a secret that cannot be written otherwise", () => {
  it.each(["http://a%zz:b%zz@127.0.0.1:9/mcp?k=%zz", "http://127.0.0.1:9/mcp"])("is harmless: %s", async (url) => {
    const server = fromMcpServer({ url, headers: { "x-key": "half \ud800 a character" } }, FOREVER)

    expect(await server.execute("any", {})).toMatchObject({ ok: false, code: "not_available" })
    await server.close()
  })
})

describe("part of a secret in a command's environment", () => {
  it.each([
    ["a line of a key", "-----BEGIN KEY-----\nk-secret-3-and-more\n-----END KEY-----"],
    ["the password of a URL", "postgres://someone:k-secret-3@localhost/db"],
    ["the password of a header", `Basic ${btoa("someone:k-secret-3")}`],
    ["a cookie", "sid=k-secret-3; theme=dark"],
  ])("is in nothing that it writes: %s", async (_, value) => {
    const script = "process.stderr.write('it is k-secret-3-and-more, or k-secret-3\\n')"
    const server = fromMcpServer({ command: process.execPath, args: ["-e", script], env: { SECRET: value } }, FOREVER)
    onTestFinished(() => server.close())
    const line = firstValueFrom(server.events.pipe(filter(({ type }) => type === "stderr")))
    server.actions.subscribe()

    expect(JSON.stringify(await line)).not.toContain(value.includes("and-more") ? "k-secret-3-and-more" : "k-secret-3")
  })
})

describe("a secret among the arguments of a command", () => {
  it.each([
    [["--api-key", "k-secret-3"]],
    [["http://somewhere/mcp?key=k-secret-3"]],
    [["--token=k-secret-3"]],
    [["--header", "Authorization: k-secret-3"]],
  ])("is in nothing that it writes: %j", async (args) => {
    const script = "process.stderr.write(process.argv.slice(1).join() + '\\n')"
    const server = fromMcpServer({ command: process.execPath, args: ["-e", script, "--", ...args] }, FOREVER)
    onTestFinished(() => server.close())
    const line = firstValueFrom(server.events.pipe(filter(({ type }) => type === "stderr")))
    server.actions.subscribe()

    expect(JSON.stringify(await line)).not.toContain("k-secret-3")
  })
})

const FOREVER = { limits: { retryMs: 60_000 } }

function take(at: string, told: unknown[]): Upstream {
  const url = new URL(at)
  url.username = "user-name"
  url.password = "p@ss-word"
  url.pathname = "/mcp/0123456789abcdef0123"
  url.search = "?key=q-secret-1"
  const server = fromMcpServer({ url: url.href, headers: { "x-key": "h-secret-2" } }, { ...FOREVER, era: "legacy" })
  onTestFinished(() => server.close())
  server.events.subscribe((event: UpstreamEvent) => told.push(event))
  server.actions.subscribe()
  return server
}

function reveal(told: unknown): readonly string[] {
  const text = JSON.stringify(told)
  return [...SECRETS, btoa("user-name:p@ss-word")].filter((secret) => text.includes(secret))
}
