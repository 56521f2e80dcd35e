import { describe, expect, it } from "vitest"
import { createSentEvents } from "./sent-events.js"

/** Creates a message of a given length. */
const text = (length: number) => "x".repeat(length)

describe("createSentEvents", () => {
  it("returns the later events of a stream, in order", () => {
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

  it("does not return a stream's first event", () => {
    const events = createSentEvents(10_000).of("ann")
    const first = events.store("one", "")
    events.store("one", "")

    expect(events.after(first)).toEqual([])
    expect(events.streamOf(first)).toBe("one")
  })

  it("uses each id once within a session", () => {
    const events = createSentEvents(300).of("ann")
    const ids = Array.from({ length: 50 }, () => events.store("one", "x"))

    expect(new Set(ids).size).toBe(50)
  })

  it("drops the oldest events of the client with the largest share, whoever sends", () => {
    const sent = createSentEvents(2_000)
    const [ann, bob] = [sent.of("ann"), sent.of("bob")]
    const modest = bob.store("a", text(100))
    const greedy = Array.from({ length: 20 }, () => ann.store("a", text(100)))
    const later = bob.store("a", text(100))

    expect([modest, later].map(bob.streamOf)).toEqual(["a", "a"])
    expect(greedy.map(ann.streamOf).slice(0, 12)).toEqual(Array.from({ length: 12 }))
    expect(ann.streamOf(greedy.at(-1) ?? "")).toBe("a")
  })

  it("keeps every event except one larger than the limit", () => {
    const events = createSentEvents(1_000).of("ann")
    const small = events.store("a", "x")

    expect(events.streamOf(events.store("a", text(2_000)))).toBeUndefined()
    expect(events.streamOf(small)).toBe("a")
  })

  it("finds no event of another session", () => {
    const sent = createSentEvents(10_000)
    const id = sent.of("ann").store("a", "x")

    expect(sent.of("ann").streamOf(id)).toBeUndefined()
  })

  it("drops the events of a closed session and frees their room", () => {
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
