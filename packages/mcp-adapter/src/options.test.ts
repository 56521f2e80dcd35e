import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { AdapterError } from "./adapter-error.js"
import { createMcpAdapter } from "./create-adapter.js"
import type { McpAdapterOptions } from "./options.js"

/** Options as untyped code may give them. */
function faultOf(options: object): unknown {
  try {
    createMcpAdapter(createAgenticService({ name: "empty" }), options as McpAdapterOptions).close()
    return undefined
  } catch (error) {
    return error
  }
}

describe("the options of an adapter", () => {
  it.each([
    [{ noticeWindow: 50 }, 'there is no option "noticeWindow"'],
    [{ limits: { service: 1 } }, 'there is no option "limits.service"'],
    [{ limits: { services: -1 } }, 'option "limits.services" is -1: expected a whole number from 1'],
    [{ calls: { timeoutMs: "5 s" } }, 'option "calls.timeoutMs" is "5 s": expected a number from 0'],
    [{ calls: { changes: "one by one" } }, 'expected one of "parallel", "serial"'],
    [{ publish: { profile: "open-ai" } }, 'option "publish.profile" is "open-ai"'],
    [{ publish: { names: { maxLength: 10 } } }, "expected a whole number from 20 to 128"],
    [{ notices: { windowMs: Number.NaN } }, 'option "notices.windowMs" is NaN'],
    [{ questions: { expiry: 1 } }, 'there is no option "questions.expiry"'],
    [{ principals: { max: 0.5 } }, 'option "principals.max" is 0.5'],
    [{ publish: { names: { separator: "/" } } }, 'separator is "/"'],
    [{ questions: { secret: new Uint8Array(32) } }, 'found "questions.secret" without "questions.answeredBy"'],
    [{ questions: { secret: new Uint8Array(8), answeredBy: "any" } }, "the secret has 8 bytes: expected at least 32"],
    [{ allow: true }, 'option "allow" is true: expected a function'],
  ])("are refused by name: %j", (options, message) => {
    const fault = faultOf(options)

    expect(fault).toBeInstanceOf(AdapterError)
    expect(fault).toMatchObject({ code: "invalid_option", message: expect.stringContaining(message) })
  })

  it("have their defaults if they are undefined", async () => {
    const add = action({ description: "Adds", execute: () => undefined })
    const calls = { timeoutMs: undefined, running: undefined }
    // Untyped code may do so.
    const adapter = createMcpAdapter(createAgenticService({ name: "s", actions: { add } }), { calls } as object)

    expect(await adapter.call("add")).toMatchObject({ outcome: { ok: true } })
    adapter.close()
  })

  it("are accepted if they are possible, absent ones included", () => {
    const options = { name: undefined, limits: { depth: 0, readyWaitMs: 0 }, notices: {}, calls: { waiting: 0 } }

    expect(faultOf(options)).toBeUndefined()
  })
})

describe("the source of an adapter", () => {
  it.each([null, 1, "board", {}, { execute: 1 }])("is rejected if it is no service: %j", (source) => {
    // Untyped code may do so.
    const create = () => createMcpAdapter(source as object)

    expect(create).toThrow(AdapterError)
    expect(create).toThrow(expect.objectContaining({ code: "not_a_service" }))
  })
})
