import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { action, createAgenticService, fail, type States, state } from "./index.js"

const Count = { type: "integer" } as const

describe("createAgenticService", () => {
  it("shows a state while its condition holds", () => {
    const count = new BehaviorSubject(1)
    const when = new BehaviorSubject(false)
    const service = createAgenticService({
      name: "counter",
      states: { count: state({ description: "The count", schema: Count, value: count, when }) },
    })
    const seen: States[] = []
    service.states.subscribe((map) => seen.push(map))

    when.next(true)
    count.next(2)

    expect(seen).toEqual([
      {},
      { count: { description: "The count", schema: Count, value: 1 } },
      { count: { description: "The count", schema: Count, value: 2 } },
    ])
  })

  it("runs an action on checked input", async () => {
    const service = createAgenticService({
      name: "x",
      actions: {
        add: action({
          description: "Add",
          input: {
            type: "object",
            properties: { n: { type: "number" } },
            required: ["n"],
            additionalProperties: false,
          },
          output: Count,
          execute: ({ n }) => n + 1,
        }),
        undo: action({
          description: "Undo",
          when: { is: new BehaviorSubject(false), otherwise: "there is no history yet" },
          execute: () => fail("x"),
        }),
      },
    })
    expect(await service.execute("add", { n: 1 })).toEqual({ ok: true, value: 2 })
    expect(await service.execute("add", { n: "1", m: 1 })).toMatchInlineSnapshot(`
      {
        "code": "invalid_input",
        "message": "action "add" cannot take this input: /n: found "string", expected "number"; /m: is not expected here",
        "ok": false,
        "recovery": "correct the input and call again",
      }
    `)
    expect(await service.execute("undo", {})).toMatchInlineSnapshot(`
      {
        "code": "not_available",
        "message": "action "undo" is not available now: there is no history yet",
        "ok": false,
        "recovery": "call one of "add"",
      }
    `)
    expect(await service.execute("toString", {})).toMatchInlineSnapshot(`
      {
        "code": "not_available",
        "message": "action "toString" is not available: "x" has no such action now",
        "ok": false,
        "recovery": "call one of "add"",
      }
    `)
  })
})
