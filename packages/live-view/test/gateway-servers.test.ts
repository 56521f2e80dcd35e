import { createMcpAdapter } from "@x/mcp-adapter"
import { filter, firstValueFrom } from "rxjs"
import { expect, it, onTestFinished } from "vitest"
import { createGateway } from "../../mcp-upstream/src/node.js"
import { createLiveView } from "../src/index.js"

it("shows the servers of a gateway with their states, those included that its file refuses", async () => {
  const gateway = createGateway({
    mcpServers: { down: { url: "http://127.0.0.1:9/mcp", limits: { retryMs: 600_000, retryMaxMs: 600_000 } } },
    refused: [{ name: "key", reasons: ["/mcpServers/key: expected an object"] }],
  })
  const adapter = createMcpAdapter(gateway.service, { limits: { readyWaitMs: 0 } })
  const live = createLiveView(adapter, { show: true })
  const leaving = new AbortController()
  onTestFinished(async () => {
    leaving.abort()
    await live.close()
    adapter.close()
    await gateway.close()
  })
  const down = gateway.servers().get("down")
  if (down !== undefined) await firstValueFrom(down.status.pipe(filter(({ state }) => state === "waiting")))

  const { body } = await live.fetch(new Request("http://localhost/live/events", { signal: leaving.signal }))
  let text = ""
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (text.includes("is invalid")) break
  }

  expect(text).toContain("its server is not connected: ")
  expect(text).toContain("its entry in the gateway's file is invalid: /mcpServers/key: expected an object")
})
