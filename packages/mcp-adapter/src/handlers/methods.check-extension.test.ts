import { describe, expect, it } from "vitest"
import { checkExtension } from "./methods.js"

describe("checkExtension", () => {
  it.each([
    "initialize",
    "ping",
    "server/discover",
    "subscriptions/listen",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
  ])("refuses %s", (method) => {
    const code = "invalid_option"

    expect(() => checkExtension({ methods: { [method]: (own) => own } })).toThrow(expect.objectContaining({ code }))
  })

  it.each(["tools/call", "prompts/list", "example/echo"])("allows %s", (method) => {
    expect(() => checkExtension({ methods: { [method]: (own) => own } })).not.toThrow()
  })

  it.each([null, "prompts", 5])("refuses %j, which is none", (found) => {
    // Untyped code may give anything.
    expect(() => checkExtension(found as never)).toThrow(expect.objectContaining({ code: "invalid_option" }))
  })
})
