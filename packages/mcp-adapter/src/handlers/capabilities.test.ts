import { describe, expect, it } from "vitest"
import type { Leg } from "../calls/call-context.js"
import { toCapabilities } from "./capabilities.js"

const stdio: Leg = { transport: "stdio", era: "legacy", notices: true }
const stateless: Leg = { transport: "http", era: "legacy", notices: false }

describe("toCapabilities", () => {
  it("promises notices where they can arrive", () => {
    expect(toCapabilities(stdio, "both")).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    })
  })

  it("promises no notice where none can arrive", () => {
    expect(toCapabilities(stateless, "resources")).toEqual({ tools: {}, resources: {} })
  })

  it.each(["tool", "omit"] as const)("says nothing of resources with states as %s", (mode) => {
    expect(toCapabilities(stdio, mode)).toEqual({ tools: { listChanged: true } })
  })
})
