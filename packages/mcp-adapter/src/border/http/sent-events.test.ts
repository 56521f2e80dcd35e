import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { describe, expect, it } from "vitest"
import { createSentEvents, type SessionEvents } from "./sent-events.js"

const ping = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, method: "ping" })

describe("createSentEvents", () => {
  it("gives again what came after an event, of its stream alone and in order", async () => {
    const events = createSentEvents(10_000).of("s")
    const first = await events.storeEvent("one", ping(1))
    for (const [stream, id] of [
      ["two", 2],
      ["one", 3],
      ["one", 4],
    ] as const)
      await events.storeEvent(stream, ping(id))

    expect(await replay(events, first)).toEqual([ping(3), ping(4)])
  })

  it("gives no id twice within a session", async () => {
    const events = createSentEvents(300).of("s")
    const ids: string[] = []
    for (let id = 0; id < 50; id += 1) ids.push(await events.storeEvent("one", ping(id)))

    expect(new Set(ids).size).toBe(50)
  })

  it("forgets the oldest first, whosever they are, once there is more than the limit", async () => {
    const sent = createSentEvents(400)
    const [one, other] = [sent.of("one"), sent.of("other")]
    const oldest = await one.storeEvent("a", ping(1))
    const ids: string[] = []
    for (let id = 0; id < 3; id += 1) ids.push(await other.storeEvent("a", ping(id)))

    expect(one.streamOf(oldest)).toBeUndefined()
    expect(other.streamOf(ids.at(-1) ?? "")).toBe("a")
  })

  it("keeps nothing that is larger than the limit", async () => {
    const events = createSentEvents(10).of("s")

    expect(events.streamOf(await events.storeEvent("a", ping(1)))).toBeUndefined()
  })

  it("knows no event of another session", async () => {
    const sent = createSentEvents(10_000)
    const id = await sent.of("one").storeEvent("a", ping(1))

    expect(sent.of("other").streamOf(id)).toBeUndefined()
  })

  it("forgets a session that is over, and makes room", async () => {
    const sent = createSentEvents(450)
    const [one, other] = [sent.of("one"), sent.of("other")]
    const kept = await other.storeEvent("a", ping(1))
    const gone = await one.storeEvent("a", ping(1))
    one.close()
    for (let id = 0; id < 2; id += 1) await one.storeEvent("a", ping(id))

    expect(one.streamOf(gone)).toBeUndefined()
    expect(other.streamOf(kept)).toBe("a")
  })
})

async function replay(events: SessionEvents, after: string): Promise<readonly JSONRPCMessage[]> {
  const sent: JSONRPCMessage[] = []
  await events.replayEventsAfter(after, {
    send: async (_, message) => {
      sent.push(message)
    },
  })
  return sent
}
