import { describe, expect, it } from "vitest"
import { createRounds } from "./support/rounds.mjs"

describe("clients that connect, call and leave", () => {
  it("leave nothing behind", async () => {
    const rounds = await createRounds()

    for (let index = 0; index < 200; index += 1) await rounds.play(index)
    // A limited number of sessions is kept whose clients left without a goodbye, each with its last call. The server learns
    // later that a stream was closed at the client's end.
    const rest = () => {
      const { session, call, stream, stuck } = rounds.ledger.counts()
      return { kept: session <= 8, calls: call - session, stream, stuck }
    }
    await expect.poll(rest, { timeout: 30_000 }).toEqual({ kept: true, calls: 0, stream: 0, stuck: 0 })
    await rounds.close()

    expect(Object.values(rounds.ledger.counts()).filter((count) => count > 0)).toEqual([])
  }, 300_000)
})
