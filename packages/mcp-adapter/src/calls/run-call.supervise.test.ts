import type { Outcome, Progress } from "@x/agentic-service"
import type { Abortable } from "@x/agentic-service/adapter"
import { describe, expect, it } from "vitest"
import { createLedger } from "../runtime/host.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"
import { type RunPhase, type SupervisedRun, supervise } from "./run-call.js"

/** Supervises an action that ends when the test says so. */
function start(options: Partial<SupervisedRun> = {}) {
  const clock = createManualClock()
  const ledger = createLedger()
  const phases: RunPhase[] = []
  const ends: boolean[] = []
  let end: (outcome: Outcome) => void = () => {}
  let report: (progress: Progress) => void = () => {}
  let signal: Abortable | undefined
  const run = supervise({
    name: "go",
    execute: (given, progress) => {
      signal = given
      report = progress
      return new Promise((resolve) => {
        end = resolve
      })
    },
    signal: new AbortController().signal,
    timeout: 60_000,
    limits: { graceMs: 5_000, idleMs: 30_000, heartbeatMs: 10_000 },
    host: { clock, ledger, report: () => undefined },
    onPhase: (phase) => phases.push(phase),
    onEnd: (late) => ends.push(late),
    onThrown: () => undefined,
    onUnheard: () => undefined,
    ...options,
  })
  return {
    ...run,
    clock,
    ledger,
    phases,
    ends,
    end: (outcome: Outcome) => end(outcome),
    report: (progress: Progress) => report(progress),
    aborted: () => signal?.aborted,
  }
}

const success: Outcome = { ok: true, value: 1 }
const failure: Outcome = { ok: false, message: "no" }

describe("supervise", () => {
  it("answers what the action answers, and holds no timer afterwards", async () => {
    const { outcome, end, clock, ends } = start()

    end(success)

    expect([await outcome, clock.waiting(), ends]).toEqual([success, 0, [false]])
  })

  it("tells an action to stop when its time is up, and answers when it acknowledges", async () => {
    const { outcome, end, clock, phases, aborted } = start()
    clock.advance(60_000)
    const told = aborted()

    end(failure)

    expect([told, phases]).toEqual([true, ["stopping"]])
    expect(await outcome).toMatchObject({
      ok: false,
      code: "timed_out",
      message: expect.stringContaining("within 60 s"),
    })
  })

  it("answers for an action that does not stop within the grace period, and counts it as stuck", async () => {
    const { outcome, clock, phases, ends } = start()
    clock.advance(60_000)

    clock.advance(5_000)

    expect(await outcome).toMatchObject({ ok: false, code: "timed_out" })
    expect([phases, ends]).toEqual([["stopping", "stuck"], []])
  })

  it("drops the late result of a stuck action, and says that it came", async () => {
    const { outcome, clock, ends, end } = start()
    clock.advance(65_000)
    await outcome

    end(success)
    await Promise.resolve()

    expect([(await outcome).ok, ends]).toEqual([false, [true]])
  })

  it("accepts a success within the grace period", async () => {
    const { outcome, end, clock } = start()
    clock.advance(60_000)

    end(success)

    expect(await outcome).toEqual(success)
  })

  it("lets the caller abort, also before it has begun", async () => {
    const { outcome, end, aborted } = start({ signal: AbortSignal.abort() })

    end(failure)

    expect([aborted(), await outcome]).toMatchObject([true, { code: "aborted" }])
  })

  it("does not count silence before the first progress", () => {
    const { clock, aborted } = start()

    clock.advance(59_999)

    expect(aborted()).toBe(false)
  })

  it("stops an action that falls silent after it has reported progress", () => {
    const { clock, report, aborted, phases } = start({ timeout: 1_000_000 })
    report({ progress: 1 })
    clock.advance(29_999)
    const before = aborted()

    clock.advance(1)

    expect([before, aborted(), phases]).toEqual([false, true, ["stopping"]])
  })

  it("restarts the idle limit at each progress of the action", () => {
    const { clock, report, aborted } = start({ timeout: 1_000_000 })

    for (let progress = 1; progress < 10; progress += 1) {
      report({ progress })
      clock.advance(20_000)
    }

    expect(aborted()).toBe(false)
  })

  it("sends signs of life to a caller that asked for progress, without restarting the idle limit", () => {
    const heard: Progress[] = []
    const { clock, report, aborted } = start({ timeout: 1_000_000, send: (progress) => heard.push(progress) })
    report({ progress: 1 })

    clock.advance(30_000)

    expect([heard.length, aborted()]).toEqual([3, true])
  })

  it("sends no sign of life to a caller that did not ask", () => {
    const { clock } = start()

    expect(clock.waiting()).toBe(1)
  })

  it("holds nothing once it is answered, even if the action continues and reports", async () => {
    const { outcome, clock, ledger, report } = start({ send: () => undefined })
    clock.advance(65_000)
    await outcome

    report({ progress: 1 })

    expect([clock.waiting(), ledger.counts().timer]).toEqual([0, 0])
  })

  it("counts the first cause only", async () => {
    const { outcome, stop, end } = start()
    stop("hidden")
    stop("caller")

    end(failure)

    expect(await outcome).toMatchObject({ code: "not_available" })
  })
})
