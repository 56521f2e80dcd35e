import { createAgenticService, state } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { contextWith } from "../calls/serve.fixture.js"
import { answer } from "./answer.fixture.js"
import { INTERNAL_ERROR } from "./handler.js"
import { createHandlers } from "./methods.js"

const board = () =>
  createAgenticService({
    name: "My Board",
    states: { b: state({ schema: {}, value: 1 }), a: state({ description: "A", schema: {}, value: 2 }) },
  })

const resourceMethods = (options: Parameters<typeof answer>[1]) =>
  answer(board(), options).methods.filter((method) => method.startsWith("resources/"))

describe("createHandlers", () => {
  it.each(["both", "resources"] as const)("has the resource methods with states as %s", (states) => {
    expect(resourceMethods({ states })).toEqual(["resources/list", "resources/templates/list", "resources/read"])
  })

  it.each(["tool", "omit"] as const)("has no resource method with states as %s [resources-absent]", (states) => {
    expect(resourceMethods({ states })).toEqual([])
  })

  it("lists the states by URI, in pages", async () => {
    const { request } = answer(board(), { pageSize: 1 })

    const first = await request("resources/list")
    const second = await request("resources/list", { cursor: first["nextCursor"] })

    expect(first["resources"]).toEqual([
      { uri: "agentic://my-board/a", name: "a", description: "A", mimeType: "application/json" },
    ])
    expect(second).toEqual({ resources: [{ uri: "agentic://my-board/b", name: "b", mimeType: "application/json" }] })
  })

  it("lists one template for all states", async () => {
    expect(await answer(board()).request("resources/templates/list")).toMatchObject({
      resourceTemplates: [{ uriTemplate: "agentic://my-board/{+path}" }],
    })
  })

  it("answers its own fault with an internal error, and reports the cause to the operator only [internal-error]", async () => {
    const { options, events } = answer(board())
    const cause = new Error("secret")
    const broken = createHandlers({
      ...options,
      exposure: {
        ...options.exposure,
        list() {
          throw cause
        },
      },
    })

    await expect(broken["tools/list"]?.({}, contextWith())).rejects.toMatchObject({
      code: INTERNAL_ERROR,
      message: "internal error",
    })
    expect(events).toEqual([
      { type: "diagnostic", diagnostic: expect.objectContaining({ code: "handler_failed", cause }) },
    ])
  })
})
