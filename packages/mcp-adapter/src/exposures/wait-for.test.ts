import { createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { contextWith } from "../calls/serve.fixture.js"
import { type AnswerOptions, answer } from "../handlers/answer.fixture.js"
import type { Result } from "../handlers/handler.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"

const textOf = (result: Result) => (result["content"] as { text: string }[])[0]?.text ?? "" // as tools/call answers
const jsonOf = (result: Result): unknown => JSON.parse(textOf(result))

/** Creates a job with changing progress and a result that is hidden at first. */
function serveJob(options: AnswerOptions = {}) {
  const clock = createManualClock()
  const job = new BehaviorSubject<unknown>({ done: 0, steps: ["a"] })
  const shown = new BehaviorSubject(false)
  const service = createAgenticService({
    name: "job",
    states: {
      job: state({ schema: {}, value: job }),
      result: state({ schema: {}, value: "fine", when: shown }),
    },
  })
  const { request, ledger } = answer(service, { waitFor: true, clock, ...options })
  const waitFor = (given: object, signal = new AbortController().signal) =>
    request("tools/call", { name: "wait_for", arguments: given }, contextWith({ signal }))
  return { clock, job, shown, ledger, request, waitFor }
}

/** Lets a call proceed until it waits. */
const begun = () => new Promise((resolve) => setImmediate(resolve))

describe("wait_for", () => {
  it.each([
    { key: "job", pointer: "/done", equals: "0" },
    { key: "job", pointer: "/steps/0", equals: "a" },
    { key: "job", equals: '{"steps":["a"],"done":0}' },
    { key: "job", pointer: "/done", above: -1, below: 1 },
    { key: "result", exists: false },
    { key: "job", since: "another" },
  ])("answers %j at once, as it holds already", async (given) => {
    expect(jsonOf(await serveJob().waitFor(given))).toMatchObject({ met: true })
  })

  it("waits until a condition holds, and returns the value at that time", async () => {
    const { waitFor, job, clock, ledger } = serveJob()
    const answered = waitFor({ key: "job", pointer: "/done", above: 1 })
    await begun()

    for (const done of [1, 2]) {
      job.next({ done })
      clock.endTask()
    }

    expect(jsonOf(await answered)).toEqual({ met: true, value: 2, since: expect.any(String) })
    expect(ledger.counts()).toMatchObject({ timer: 0, call: 0 })
  })

  it("waits for a state that does not exist yet", async () => {
    const { waitFor, shown, clock } = serveJob()
    const answered = waitFor({ key: "result", exists: true })
    await begun()

    shown.next(true)
    clock.endTask()

    expect(jsonOf(await answered)).toMatchObject({ met: true, value: "fine" })
  })

  it("waits, without a condition, until the state changes", async () => {
    const { waitFor, job, clock } = serveJob()
    const answered = waitFor({ key: "job" })
    await begun()

    job.next("another")
    clock.endTask()

    expect(jsonOf(await answered)).toMatchObject({ met: true, value: "another" })
  })

  it("accepts the hash returned by get_state", async () => {
    const { waitFor, request } = serveJob()
    const told = await request("tools/call", { name: "get_state", arguments: { keys: ["job"], since: "" } })
    const since = (told["content"] as { text: string }[])[1]?.text.slice("\nsince: ".length) // As tools/call answers.

    expect(jsonOf(await waitFor({ key: "job", since, seconds: 0 }))).toMatchObject({ met: false })
  })

  it("answers `timed_out` with the current value", async () => {
    const { waitFor, clock } = serveJob()
    const answered = [waitFor({ key: "job", seconds: 3 }), waitFor({ key: "result", exists: true, seconds: 3_000 })]
    await begun()

    clock.advance(3_000)
    expect(jsonOf((await answered[0]) ?? {})).toMatchObject({ met: false, timed_out: true, value: { done: 0 } })

    clock.advance(22_000)
    expect(jsonOf((await answered[1]) ?? {})).toEqual({ met: false, timed_out: true, exists: false })
  })

  it("ends when the caller cancels, and releases its resources", async () => {
    const { waitFor, ledger } = serveJob()
    const cancel = new AbortController()
    const before = ledger.counts()
    const answered = waitFor({ key: "job" }, cancel.signal)
    await begun()

    cancel.abort()

    expect(textOf(await answered)).toContain("aborted")
    expect(ledger.counts()).toEqual(before)
  })

  it("refuses more concurrent waits than one client may have", async () => {
    const { waitFor, clock } = serveJob({ waitFor: { waiting: 1 } })
    const first = waitFor({ key: "job" })
    await begun()

    expect(textOf(await waitFor({ key: "job" }))).toContain("busy")

    clock.advance(25_000)
    expect(jsonOf(await first)).toMatchObject({ timed_out: true })
  })

  it("finds no state hidden from the caller", async () => {
    const { waitFor } = serveJob({ allow: (entry) => entry.kind !== "state" || entry.key !== "job" })

    expect(jsonOf(await waitFor({ key: "job", seconds: 0 }))).toEqual({ met: false, timed_out: true, exists: false })
  })

  it.each([{}, { key: 1 }, { key: "job", above: "1" }, { key: "job", exists: 1 }, { key: "job", is: 1 }])(
    "refuses %j",
    async (given) => {
      expect(textOf(await serveJob().waitFor(given))).toContain("invalid_input")
    },
  )

  it("exists only if enabled", async () => {
    const { waitFor } = serveJob({ waitFor: false })

    await expect(waitFor({ key: "job" })).rejects.toMatchObject({ message: 'unknown tool "wait_for"' })
  })
})
