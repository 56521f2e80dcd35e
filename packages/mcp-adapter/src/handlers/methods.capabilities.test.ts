import { describe, expect, it } from "vitest"
import type { Leg } from "../calls/call-context.js"
import type { Handler } from "./handler.js"
import { toCapabilities } from "./methods.js"

const stdio: Leg = { transport: "stdio", era: "legacy", notices: true }
const stateless: Leg = { transport: "http", era: "legacy", notices: false }

describe("toCapabilities", () => {
  it("announces notices when they can arrive [list-changed]", () => {
    expect(toCapabilities(stdio, { states: "both" })).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    })
  })

  it("announces no notices when none can arrive [list-changed-honest]", () => {
    expect(toCapabilities(stateless, { states: "resources" })).toEqual({ tools: {}, resources: {} })
  })

  it.each(["tool", "omit"] as const)("says nothing of resources with states as %s [resources-absent]", (mode) => {
    expect(toCapabilities(stdio, { states: mode })).toEqual({ tools: { listChanged: true } })
  })

  it("announces capabilities implied by an extension's methods", () => {
    const own = (handler: Handler) => handler
    const methods = { "prompts/list": own, "completion/complete": own, "resources/read": own, "example/echo": own }

    expect(toCapabilities(stdio, { states: "omit", extension: { methods } })).toEqual({
      tools: { listChanged: true },
      prompts: {},
      completions: {},
      resources: {},
    })
  })

  it("announces an extension's capabilities, but never less than our own", () => {
    const capabilities = () => ({ logging: {}, prompts: { listChanged: true }, resources: { subscribe: false } })

    expect(toCapabilities(stdio, { states: "both", extension: { capabilities } })).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      logging: {},
    })
  })

  it("omits an extension's capabilities that need notices", () => {
    const capabilities = () => ({ logging: {}, prompts: { listChanged: true }, resources: { subscribe: true } })

    expect(toCapabilities(stateless, { states: "tool", extension: { capabilities } })).toEqual({
      tools: {},
      prompts: {},
      resources: {},
    })
  })
})
