import type { Transport } from "@modelcontextprotocol/client"
import { createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { fromMcpServer } from "../src/index.js"

describe("a server that starts slowly", () => {
  it("has all the time of connectMs where only the modern era is tried", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const adapter = createMcpAdapter(createAgenticService({ name: "slow" }))
    onTestFinished(() => adapter.close())
    const open = async (): Promise<Transport> => {
      const transport = connectInMemory(adapter)
      const send = transport.send.bind(transport)
      transport.send = async (...message) => {
        transport.send = send
        await new Promise((resolve) => setTimeout(resolve, 15_000))
        return send(...message)
      }
      return transport
    }
    const server = fromMcpServer({ transport: open }, { era: "modern" })
    onTestFinished(() => server.close())
    const states: string[] = []
    const connected = firstValueFrom(
      server.status.pipe(filter(({ state }) => states.push(state) > 0 && state === "connected")),
    )
    server.actions.subscribe()

    await vi.advanceTimersByTimeAsync(16_000)
    await connected

    expect(states).toEqual(["idle", "connecting", "connected"])
  })
})
