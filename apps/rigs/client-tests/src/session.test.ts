import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { describe, expect, it, onTestFinished } from "vitest"
import { createAdventure } from "../../../../packages/agentic-service/src/foreign/adobe.fixture.js"
import { connectV1 } from "./connect-v1.js"
import { firstValue } from "./first.js"

async function serve() {
  const { service, hurt } = createAdventure()
  const adapter = createMcpAdapter(service, { name: "hero" })
  const server = await serveHttp(adapter, { port: 0 })
  onTestFinished(() => server.close().finally(adapter.close))
  return { adapter, server, hurt }
}

describe("a session of SDK v1", () => {
  it("ends when its client says so, and everything it held with it [session-delete, session-unknown]", async () => {
    const { adapter, server } = await serve()
    const atRest = adapter.ledger.counts()
    const transport = new StreamableHTTPClientTransport(new URL(server.url))
    const client = new Client({ name: "v1", version: "1.0.0" })
    // The SDK does not know "exactOptionalPropertyTypes": the session id of this transport may be undefined.
    await client.connect(transport as Transport)
    const sessionId = transport.sessionId ?? ""
    expect(adapter.ledger.counts()).toMatchObject({ session: 1 })

    await transport.terminateSession()

    const late = await fetch(server.url, {
      method: "GET",
      headers: { accept: "text/event-stream", "mcp-session-id": sessionId },
    })
    expect(late.status).toBe(404)
    expect(adapter.ledger.counts()).toEqual(atRest)
    await client.close()
  })

  it("is notified of the states that it follows, and of no others", async () => {
    const { server, hurt } = await serve()
    const one = await connectV1(server)
    const two = await connectV1(server)
    const heard: string[] = []
    two.updates$.subscribe((uri) => heard.push(uri))
    await one.follow("agentic://hero/hp")
    await two.follow("agentic://hero/name")

    const hp = firstValue(one, "agentic://hero/hp", (text) => text === "4")
    hurt(4)
    await hp
    const name = firstValue(two, "agentic://hero/name", (text) => text.includes("Bo"))
    await one.call("rename", { name: "Bo" })
    await name

    expect(heard).toEqual(["agentic://hero/name"])
    await one.close()
    await two.close()
  })
})
