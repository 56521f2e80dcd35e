import { describe, expect, it } from "vitest"
import type { Leg } from "../calls/call-context.js"
import type { Handler } from "./handler.js"
import { toCapabilities } from "./methods.js"

const stdio: Leg = { transport: "stdio", era: "legacy", notices: true }
const stateless: Leg = { transport: "http", era: "legacy", notices: false }

describe("toCapabilities", () => {
  it("promises notices where they can arrive [list-changed]", () => {
    expect(toCapabilities(stdio, "both")).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    })
  })

  it("promises no notice where none can arrive [list-changed-honest]", () => {
    expect(toCapabilities(stateless, "resources")).toEqual({ tools: {}, resources: {} })
  })

  it.each(["tool", "omit"] as const)("says nothing of resources with states as %s [resources-absent]", (mode) => {
    expect(toCapabilities(stdio, mode)).toEqual({ tools: { listChanged: true } })
  })

  it("announces what the methods of an extension imply", () => {
    const own = (handler: Handler) => handler
    const methods = { "prompts/list": own, "completion/complete": own, "resources/read": own, "example/echo": own }

    expect(toCapabilities(stdio, "omit", { methods })).toEqual({
      tools: { listChanged: true },
      prompts: {},
      completions: {},
      resources: {},
    })
  })

  it("announces what an extension says, but never less than what is ours", () => {
    const capabilities = () => ({ logging: {}, prompts: { listChanged: true }, resources: { subscribe: false } })

    expect(toCapabilities(stdio, "both", { capabilities })).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      logging: {},
    })
  })

  it("leaves out what of it cannot arrive", () => {
    const capabilities = () => ({ logging: {}, prompts: { listChanged: true }, resources: { subscribe: true } })

    expect(toCapabilities(stateless, "tool", { capabilities })).toEqual({ tools: {}, prompts: {}, resources: {} })
  })
})
