import type { Progress } from "@x/agentic-service"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createProgressLine } from "./progress-line.js"

function listen() {
  const heard: Progress[] = []
  return { heard, line: createProgressLine((progress) => heard.push(progress)) }
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

  it("hands the action's own progress on as it is where nothing is in the way", () => {
    const { heard, line } = listen()

    line.report({ progress: 0, total: 10, message: "begin" })
    line.report({ progress: 5 })

    expect(heard).toEqual([{ progress: 0, total: 10, message: "begin" }, { progress: 5 }])
  })

  it("says again with a sign of life how far the action is", () => {
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

  it("drops what does not grow, and what is no number", () => {
    const { heard, line } = listen()

    for (const progress of [5, 5, 4, Number.NaN, Number.POSITIVE_INFINITY]) line.report({ progress })

    expect(heard).toEqual([{ progress: 5 }])
  })

  it("tells every piece of a text once and in order, whatever the progress beside it", () => {
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

  it("lets nothing through once it is closed [progress-stops]", () => {
    const { heard, line } = listen()
    line.close()

    line.report({ progress: 1 })
    line.beat()

    expect(heard).toEqual([])
  })

  it("survives a caller who cannot be reached", () => {
    const line = createProgressLine(() => {
      throw new Error("gone")
    })

    expect(() => line.report({ progress: 1 })).not.toThrow()
  })
})
