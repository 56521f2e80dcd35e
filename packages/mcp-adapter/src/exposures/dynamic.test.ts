import { action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer } from "../handlers/answer.fixture.js"
import type { Result } from "../handlers/handlers.js"
import { INVALID_PARAMS } from "../handlers/protocol-error.js"

const textOf = (result: Result) => (result["content"] as { text: string }[])[0]?.text ?? "" // as tools/call answers
const jsonOf = (result: Result): unknown => JSON.parse(textOf(result))

/** A board whose one column is linked twice, and links back. */
function graph() {
  const column = createAgenticService({
    name: "column",
    description: "A column",
    states: { cards: state({ schema: {}, value: ["x"] }) },
  })
  return createAgenticService({
    name: "board",
    states: { title: state({ schema: {}, value: "B" }), odd: state({ schema: {}, value: 3n }) },
    links: {
      first: link({ description: "The first column", service: column }),
      open: link({ service: column }),
    },
  })
}

describe("get_state", () => {
  it("reads all states of the root", async () => {
    const result = await answer(graph()).request("tools/call", { name: "get_state" })

    expect(jsonOf(result)).toEqual({ odd: "3", title: "B" })
  })

  it("reads the states of a linked service, by any of its paths", async () => {
    const { request } = answer(graph())

    for (const path of ["first", "open"]) {
      const result = await request("tools/call", { name: "get_state", arguments: { path } })

      expect(jsonOf(result)).toEqual({ cards: ["x"] })
    }
  })

  it("reads the states that are named", async () => {
    const result = await answer(graph()).request("tools/call", { name: "get_state", arguments: { keys: ["title"] } })

    expect(jsonOf(result)).toEqual({ title: "B" })
  })

  it("says what there is where a state is missing, hidden or not", async () => {
    const hidden = state({ schema: {}, value: 1, when: new BehaviorSubject(false) })
    const service = createAgenticService({ name: "board", states: { hidden, shown: state({ schema: {}, value: 1 }) } })
    const { request } = answer(service)

    for (const key of ["hidden", "never"]) {
      expect(await request("tools/call", { name: "get_state", arguments: { keys: [key] } })).toEqual({
        isError: true,
        content: [
          { type: "text", text: `there is no state "${key}" in this service now (not_found)\nchoose from "shown"` },
        ],
      })
    }
  })

  it("reads nothing the caller may not know of", async () => {
    const { request } = answer(graph(), { allow: (entry) => entry.kind !== "state" || entry.key !== "odd" })

    expect(jsonOf(await request("tools/call", { name: "get_state" }))).toEqual({ title: "B" })
  })

  it("tells the sizes where the states are too large together", async () => {
    const { request } = answer(graph(), { sizeLimit: 10 })

    const result = await request("tools/call", { name: "get_state" })

    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toMatch(/take 14 characters, more than the 10 .*\n.*"odd" 6, "title" 8$/)
  })

  it.each([{ path: 1 }, { keys: "title" }, { keys: [1] }, { key: "title" }])("refuses %j", async (given) => {
    const result = await answer(graph()).request("tools/call", { name: "get_state", arguments: given })

    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toContain("invalid_input")
  })

  it.each(["nowhere", "/", "%"])("finds no service at %j", async (path) => {
    const result = await answer(graph()).request("tools/call", { name: "get_state", arguments: { path } })

    expect(textOf(result)).toContain("not_found")
  })

  it.each(["omit", "resources"] as const)("is unknown with states as %s", async (states) => {
    const { request } = answer(graph(), { states })

    await expect(request("tools/call", { name: "get_state" })).rejects.toMatchObject({ code: INVALID_PARAMS })
  })
})

describe("list_links", () => {
  it("lists every path with the canonical one and its aliases", async () => {
    const result = await answer(graph()).request("tools/call", { name: "list_links" })

    expect(jsonOf(result)).toEqual({
      links: [
        { path: "first", canonical: "first", service: "column", description: "The first column", aliases: ["open"] },
        { path: "open", canonical: "first", service: "column", description: "A column" },
      ],
    })
  })

  it("lists what is below a path", async () => {
    const result = await answer(graph()).request("tools/call", { name: "list_links", arguments: { path: "first" } })

    expect(jsonOf(result)).toEqual({ links: [] })
  })

  it("says how to ask for less where the links are too many", async () => {
    const result = await answer(graph(), { sizeLimit: 10 }).request("tools/call", { name: "list_links" })

    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toContain("too_large")
  })
})

describe("run_action", () => {
  const output = { type: "object", properties: { sum: { type: "number" } } } as const
  const input = { type: "object", properties: { a: { type: "number" } }, required: ["a"] } as const
  const add = action({ description: "Add", input, output, execute: ({ a }) => ({ sum: a + 1 }) })
  const board = createAgenticService({ name: "board", actions: { add } })

  it("answers exactly as the tool itself does", async () => {
    const { request } = answer(board)

    for (const args of [{ a: 1 }, { a: "x" }]) {
      const direct = await request("tools/call", { name: "add", arguments: args })
      const through = await request("tools/call", { name: "run_action", arguments: { name: "add", arguments: args } })

      expect(through).toEqual(direct)
    }
  })

  it("refuses an action that never existed, itself included", async () => {
    const { request } = answer(board)

    for (const name of ["nope", "run_action"]) {
      await expect(request("tools/call", { name: "run_action", arguments: { name } })).rejects.toMatchObject({
        code: INVALID_PARAMS,
      })
    }
  })

  it.each([{}, { name: "add", arguments: 1 }, { name: "add", a: 1 }])("refuses %j", async (given) => {
    const result = await answer(board).request("tools/call", { name: "run_action", arguments: given })

    expect(textOf(result)).toContain("invalid_input")
  })
})

describe("a call of a tool of our own", () => {
  const add = action({ description: "Add", execute: () => {} })
  const board = createAgenticService({ name: "board", actions: { add } })

  it("is told in events as any call is", async () => {
    const { request, events, ledger } = answer(board)

    await request("tools/call", { name: "get_state", arguments: { keys: ["missing"] } })

    expect(events).toMatchObject([
      { type: "call-started", name: "get_state", args: { keys: ["missing"] } },
      { type: "call-settled", name: "get_state", outcome: { ok: false, code: "not_found" } },
    ])
    expect(ledger.counts().call).toBe(0)
  })

  it("is told once, under the action's name, when it calls an action", async () => {
    const { request, events } = answer(board)

    await request("tools/call", { name: "run_action", arguments: { name: "add", arguments: { title: 1 } } })
    await request("tools/call", { name: "run_action", arguments: { title: 1 } })

    expect(events).toMatchObject([
      { type: "call-started", name: "add", args: { title: 1 } },
      { type: "call-settled", name: "add" },
      { type: "call-started", name: "run_action", args: { title: 1 } },
      { type: "call-settled", name: "run_action", outcome: { code: "invalid_input" } },
    ])
  })
})
