import { describe, expect, it } from "vitest"
import { createSentEvents } from "./sent-events.js"

/** A message of so many characters. */
const text = (length: number) => "x".repeat(length)

describe("createSentEvents", () => {
  it("gives again what came after an event, of its stream alone and in order", () => {
    const events = createSentEvents(10_000).of("ann")
    const first = events.store("one", "1")
    for (const [stream, json] of [
      ["two", "2"],
      ["one", "3"],
      ["one", "4"],
    ] as const)
      events.store(stream, json)

    expect(events.after(first).map(({ json }) => json)).toEqual(["3", "4"])
  })

  it("gives nothing again of how a stream began", () => {
    const events = createSentEvents(10_000).of("ann")
    const first = events.store("one", "")
    events.store("one", "")

    expect(events.after(first)).toEqual([])
    expect(events.streamOf(first)).toBe("one")
  })

  it("gives no id twice within a session", () => {
    const events = createSentEvents(300).of("ann")
    const ids = Array.from({ length: 50 }, () => events.store("one", "x"))

    expect(new Set(ids).size).toBe(50)
  })

  it("forgets the oldest of the client of whom most is kept, whoever sends", () => {
    const sent = createSentEvents(2_000)
    const [ann, bob] = [sent.of("ann"), sent.of("bob")]
    const modest = bob.store("a", text(100))
    const greedy = Array.from({ length: 20 }, () => ann.store("a", text(100)))
    const later = bob.store("a", text(100))

    expect([modest, later].map(bob.streamOf)).toEqual(["a", "a"])
    expect(greedy.map(ann.streamOf).slice(0, 12)).toEqual(Array.from({ length: 12 }))
    expect(ann.streamOf(greedy.at(-1) ?? "")).toBe("a")
  })

  it("keeps nothing that is larger than the limit, and everything else", () => {
    const events = createSentEvents(1_000).of("ann")
    const small = events.store("a", "x")

    expect(events.streamOf(events.store("a", text(2_000)))).toBeUndefined()
    expect(events.streamOf(small)).toBe("a")
  })

  it("knows no event of another session", () => {
    const sent = createSentEvents(10_000)
    const id = sent.of("ann").store("a", "x")

    expect(sent.of("ann").streamOf(id)).toBeUndefined()
  })

  it("forgets a session that is over, and makes room", () => {
    const sent = createSentEvents(450)
    const [one, other] = [sent.of("ann"), sent.of("ann")]
    const kept = other.store("a", text(100))
    const gone = one.store("a", text(100))
    one.close()
    one.store("a", text(100))

    expect(one.streamOf(gone)).toBeUndefined()
    expect(other.streamOf(kept)).toBe("a")
  })
})
