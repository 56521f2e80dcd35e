import { describe, expect, it } from "vitest"
import { createManualClock } from "../../runtime/manual-clock.fixture.js"
import { createTransportPair } from "./transport-pair.js"

describe("createTransportPair", () => {
  it("delivers messages in order, each in a task of its own", async () => {
    const clock = createManualClock()
    const [one, other] = createTransportPair(clock)
    const heard: unknown[] = []
    other.onmessage = (message) => heard.push("id" in message && message.id)

    const sent = [1, 2].map((id) => one.send({ jsonrpc: "2.0", id, method: "ping" }))

    await turn()
    expect(heard).toEqual([])
    clock.endTask()
    await sent[0]
    expect(heard).toEqual([1])
    await turn()
    clock.endTask()
    await sent[1]
    expect(heard).toEqual([1, 2])
  })

  it("carries what JSON carries, as a copy", async () => {
    const clock = createManualClock()
    const [one, other] = createTransportPair(clock)
    const params = { date: new Date(0), nothing: undefined }
    const heard = new Promise<unknown>((resolve) => {
      other.onmessage = resolve
    })

    void one.send({ jsonrpc: "2.0", method: "x", params })

    await turn()
    clock.endTask()
    expect(await heard).toStrictEqual({ jsonrpc: "2.0", method: "x", params: { date: "1970-01-01T00:00:00.000Z" } })
  })

  it("closes both ends at once, and sends nothing after", async () => {
    const [one, other] = createTransportPair(createManualClock())
    const closed: string[] = []
    one.onclose = () => closed.push("one")
    other.onclose = () => closed.push("other")

    await one.close()
    await other.close()

    expect(closed).toEqual(["other", "one"])
    await expect(one.send({ jsonrpc: "2.0", method: "x" })).rejects.toThrow("closed")
  })
})

/** Lets every promise that is settled run its callbacks. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
