import { createAgenticService } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { answer } from "./answer.fixture.js"
import type { Extension } from "./extension.js"
import { ProtocolError } from "./handler.js"

const empty = createAgenticService({ name: "empty" })

function extended(methods: Extension["methods"] = {}) {
  return answer(empty, { extension: { methods } })
}

describe("extendHandlers", () => {
  it("adds a method", async () => {
    const { request } = extended({ "prompts/list": () => async () => ({ prompts: [] }) })

    expect(await request("prompts/list")).toEqual({ prompts: [] })
  })

  it("gives an extension our handler to call", async () => {
    const { request } = extended({
      "tools/list": (own) => async (params, context) => own({ ...params, cursor: "" }, context),
    })

    expect(await request("tools/list", { cursor: "not ours" })).toHaveProperty("tools")
  })

  it("gives it a handler that answers 'method not found' when we have none", async () => {
    const { request } = extended({ "prompts/get": (own) => own })

    await expect(request("prompts/get")).rejects.toMatchObject({ code: -32601 })
  })

  it("keeps methods that are not extended", async () => {
    expect(extended({ "prompts/list": () => async () => ({}) }).methods).toContain("resources/read")
  })

  it("forwards a protocol error that an extension throws", async () => {
    const { request } = extended({
      "prompts/get": () => async () => {
        throw new ProtocolError(-32602, "no such prompt")
      },
    })

    await expect(request("prompts/get")).rejects.toMatchObject({ code: -32602, message: "no such prompt" })
  })

  it("reports an extension's unexpected error to the operator only", async () => {
    const { request, events } = extended({
      "prompts/get": () => () => {
        throw new Error("a secret")
      },
    })

    await expect(request("prompts/get")).rejects.toMatchObject({ code: -32603, message: "internal error" })
    expect(events).toMatchObject([{ type: "diagnostic", diagnostic: { code: "handler_failed" } }])
  })
})
