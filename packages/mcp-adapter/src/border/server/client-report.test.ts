import { describe, expect, it } from "vitest"
import type { Diagnostic } from "../../runtime/diagnostic.js"
import { createManualClock } from "../../runtime/manual-clock.fixture.js"
import { createClientReport } from "./client-report.js"

const flood: Diagnostic = { code: "rate_limit", message: "too fast" }

function listen() {
  const reported: Diagnostic[] = []
  const clock = createManualClock()
  return { reported, clock, tell: createClientReport({ report: (diagnostic) => reported.push(diagnostic), clock }) }
}

describe("createClientReport", () => {
  it("reports a flood once a minute", () => {
    const { reported, clock, tell } = listen()

    for (let request = 0; request < 100; request += 1) tell("ann", flood)
    expect(reported).toEqual([flood])

    clock.advance(60_000)
    for (let request = 0; request < 100; request += 1) tell("ann", flood)
    expect(reported).toEqual([flood, flood])
  })

  it("reports each client and each kind", () => {
    const { reported, tell } = listen()
    const refused: Diagnostic = { code: "body_refused", message: "too large" }

    tell("ann", flood)
    tell("bob", flood)
    tell("ann", refused)

    expect(reported).toEqual([flood, flood, refused])
  })
})
