import type { OAuthClientProvider } from "@modelcontextprotocol/client"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer, type Upstream, type UrlServer } from "../src/index.js"
import { listen } from "./http-server.js"
import { serveOAuth } from "./oauth-site.js"

describe("a server that rejects the credentials", () => {
  it.each([401, 403])("is left down for %d, and not asked again", async (status) => {
    let asked = 0
    const url = await listen((_request, response) => {
      asked += 1
      response.writeHead(status).end()
    })
    const server = take({ url, headers: { authorization: "Bearer wrong-token" } })

    const down = await isDown(server)
    const once = asked
    await server.execute("anything", {})

    expect(down).toMatchObject({ state: "down", remedy: expect.stringContaining("sign-in") })
    expect(asked).toBe(once)
  })

  it("opens one page for a sign-in that is not finished", async () => {
    const pages: string[] = []
    const { url } = await serveOAuth()
    const server = take({ url, auth: createProvider((page) => pages.push(page)) })

    await isDown(server)
    await server.execute("anything", {})

    expect(pages).toHaveLength(1)
  })

  it("is tried again on reconnect", async () => {
    let allowed = false
    const url = await listen((request, response, body) => {
      if (!allowed || request.method !== "POST") return response.writeHead(allowed ? 405 : 401).end()
      const { id, method } = JSON.parse(body)
      if (id === undefined) return response.writeHead(202).end()
      const serverInfo = { name: "site", version: "1" }
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo }
      const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "no" } }
      response.setHeader("content-type", "application/json")
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
    })
    const server = take({ url })
    await isDown(server)

    allowed = true
    server.reconnect()

    const status = await firstValueFrom(server.status.pipe(filter(({ state }) => state === "connected")))
    expect(status.state).toBe("connected")
  })
})

function take(server: UrlServer): Upstream {
  const made = fromMcpServer(server, { connect: "eager", limits: { retryMs: 1, retryMaxMs: 1 } })
  onTestFinished(() => made.close())
  return made
}

function isDown(server: Upstream) {
  return firstValueFrom(server.status.pipe(filter(({ state }) => state === "down")))
}

function createProvider(open: (page: string) => void): OAuthClientProvider {
  const kept: { client?: ReturnType<OAuthClientProvider["clientInformation"]>; verifier: string } = { verifier: "" }
  return {
    redirectUrl: "http://127.0.0.1:1/back",
    clientMetadata: { redirect_uris: ["http://127.0.0.1:1/back"] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: (page) => open(page.href),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier,
  }
}
