import type { Progress } from "@x/agentic-service"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createLedger } from "../runtime/host.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"
import { createProgressLine, type ProgressLine } from "./progress-line.js"

/** Creates a line with long pauses between its reports. */
function listen() {
  const { heard, clock, line } = listenFast()
  const slowly: ProgressLine = {
    report(progress) {
      line.report(progress)
      clock.advance(100)
    },
    beat() {
      line.beat()
      clock.advance(100)
    },
    close: line.close,
  }
  return { heard, line: slowly }
}

/** Creates a line whose time advances only when a test says so. */
function listenFast() {
  const heard: Progress[] = []
  const clock = createManualClock()
  const ledger = createLedger()
  const line = createProgressLine({
    send: (progress) => heard.push(progress),
    host: { clock, ledger, report: () => undefined },
  })
  return { heard, clock, ledger, line }
}

describe("createProgressLine", () => {
  it("only grows on the wire, whatever the action reports between signs of life [progress-grows]", () => {
    const step = fc.option(fc.oneof(fc.double(), fc.integer({ min: -5, max: 5 })))
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const { heard, line } = listen()
        for (const progress of steps) {
          if (progress === null) line.beat()
          else line.report({ progress })
        }

        const values = heard.map(({ progress }) => progress)
        expect(values.every((value, index) => index === 0 || value > (values[index - 1] ?? value))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it("forwards the action's own progress unchanged when nothing else was sent", () => {
    const { heard, line } = listen()

    line.report({ progress: 0, total: 10, message: "begin" })
    line.report({ progress: 5 })

    expect(heard).toEqual([{ progress: 0, total: 10, message: "begin" }, { progress: 5 }])
  })

  it("repeats the action's progress in signs of life", () => {
    const { heard, line } = listen()
    line.report({ progress: 5, total: 10, message: "half" })

    line.beat()

    expect(heard[1]).toEqual({ progress: expect.closeTo(5, 5), total: 10, message: "half" })
  })

  it("lets the first own progress through after signs of life", () => {
    const { heard, line } = listen()
    line.beat()
    line.beat()

    line.report({ progress: 0 })

    expect(heard).toHaveLength(3)
  })

  it("drops progress that does not grow or is no number", () => {
    const { heard, line } = listen()

    for (const progress of [5, 5, 4, Number.NaN, Number.POSITIVE_INFINITY]) line.report({ progress })

    expect(heard).toEqual([{ progress: 5 }])
  })

  it("sends every piece of text once and in order, whatever its progress", () => {
    const report = fc.record({
      progress: fc.oneof(fc.double({ max: 1e300 }), fc.integer({ min: -5, max: 5 })),
      text: fc.string(),
    })
    fc.assert(
      fc.property(fc.array(fc.option(report)), (steps) => {
        const { heard, line } = listen()
        for (const step of steps) {
          if (step === null) line.beat()
          else line.report(step)
        }

        expect(heard.map(({ text = "" }) => text).join("")).toBe(steps.map((step) => step?.text ?? "").join(""))
        const values = heard.map(({ progress }) => progress)
        expect(values.every((value, index) => index === 0 || value > (values[index - 1] ?? value))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  it("sends nothing after it is closed [progress-stops]", () => {
    const { heard, line } = listen()
    line.close()

    line.report({ progress: 1 })
    line.beat()

    expect(heard).toEqual([])
  })

  it("sends slow progress immediately, and the newest of simultaneous progress", () => {
    const { heard, clock, line } = listenFast()
    for (const progress of [0, 50, 100]) {
      line.report({ progress })
      clock.advance(50)
    }
    expect(heard).toEqual([{ progress: 0 }, { progress: 50 }, { progress: 100 }])

    for (let progress = 101; progress <= 105; progress += 1) line.report({ progress })
    expect(heard.slice(3)).toEqual([{ progress: 101 }])
    clock.advance(20)
    expect(heard.slice(3)).toEqual([{ progress: 101 }, { progress: 105 }])
  })

  it("limits a flood to one message per 100 ms after the first few [progress-rate]", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 200 }), (waits) => {
        const { heard, clock, line } = listenFast()
        const times: number[] = []
        for (const [progress, wait] of waits.entries()) {
          line.report({ progress })
          for (let passed = 0; passed <= wait; passed += 1) {
            while (times.length < heard.length) times.push(clock.now())
            if (passed < wait) clock.advance(1)
          }
        }

        // Ten saved messages, those that a second earns, and one at each end.
        for (const from of times) {
          expect(times.filter((time) => time >= from && time < from + 1_000).length).toBeLessThanOrEqual(22)
        }
      }),
      { numRuns: 100 },
    )
  })

  it("sends the waiting message before the answer, and holds no timer afterwards", () => {
    const { heard, clock, ledger, line } = listenFast()
    line.report({ progress: 1, text: "a" })
    line.report({ progress: 2, text: "b" })
    line.report({ progress: 3, text: "c" })

    line.close()

    expect(heard).toEqual([
      { progress: 1, text: "a" },
      { progress: 3, text: "bc" },
    ])
    expect([clock.waiting(), ledger.counts().timer]).toEqual([0, 0])
  })

  it("loses no piece of text at any pace", () => {
    const step = fc.oneof(
      fc.record({ progress: fc.integer({ min: -5, max: 5 }), text: fc.option(fc.string(), { nil: "" }) }),
      fc.constantFrom("beat" as const, "wait" as const),
    )
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const { heard, clock, line } = listenFast()
        for (const step of steps) {
          if (step === "beat") line.beat()
          else if (step === "wait") clock.advance(60)
          else line.report(step)
        }
        line.close()

        const said = steps.map((step) => (typeof step === "string" ? "" : step.text)).join("")
        expect(heard.map(({ text = "" }) => text).join("")).toBe(said)
      }),
      { numRuns: 500 },
    )
  })

  it("survives a caller who cannot be reached", () => {
    const send = () => {
      throw new Error("gone")
    }
    const line = createProgressLine({
      send,
      host: { clock: createManualClock(), ledger: createLedger(), report: () => undefined },
    })

    expect(() => line.report({ progress: 1 })).not.toThrow()
  })
})
