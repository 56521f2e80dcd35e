import { action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer } from "../handlers/answer.fixture.js"
import { INVALID_PARAMS, type Result } from "../handlers/handler.js"

const textOf = (result: Result) => (result["content"] as { text: string }[])[0]?.text ?? "" // as tools/call answers
const jsonOf = (result: Result): unknown => JSON.parse(textOf(result))

/** Creates a board with one column, linked twice, that links back. */
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

  it("reads the states of a linked service by any of its paths", async () => {
    const { request } = answer(graph())

    for (const path of ["first", "open"]) {
      const result = await request("tools/call", { name: "get_state", arguments: { path } })

      expect(jsonOf(result)).toEqual({ cards: ["x"] })
    }
  })

  it("reads only the named states", async () => {
    const result = await answer(graph()).request("tools/call", { name: "get_state", arguments: { keys: ["title"] } })

    expect(jsonOf(result)).toEqual({ title: "B" })
  })

  it("names the available states if one is missing or hidden", async () => {
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

  it("reads no state hidden from the caller", async () => {
    const { request } = answer(graph(), { allow: (entry) => entry.kind !== "state" || entry.key !== "odd" })

    expect(jsonOf(await request("tools/call", { name: "get_state" }))).toEqual({ title: "B" })
  })

  it("shortens a large state, links to it, and continues from there", async () => {
    const cards = Array.from({ length: 500 }, (_, index) => `card ${index}`)
    const service = createAgenticService({ name: "board", states: { cards: state({ schema: {}, value: cards }) } })
    const { request } = answer(service, { sizeLimit: 1_000 })
    const get = (given: object) => request("tools/call", { name: "get_state", arguments: given })

    const first = await get({})

    const read: unknown[] = []
    let page = (jsonOf(first) as { cards: unknown[] }).cards // An object with a list, cut off.
    while (typeof page.at(-1) === "object") {
      const {
        "…": { left_out, ...next },
      } = page.pop() as { "…": { left_out: number } } // How a list is cut off.
      read.push(...page)
      expect(left_out).toBe(500 - read.length)
      page = (jsonOf(await get(next)) as { result: unknown[] }).result // The list at the pointer.
    }
    expect([...read, ...page]).toEqual(cards)
    expect(first["content"]).toContainEqual(
      expect.objectContaining({ type: "resource_link", uri: "agentic://board/cards" }),
    )
  })

  it("answers `unchanged` if nothing has changed since", async () => {
    const title = new BehaviorSubject("B")
    const service = createAgenticService({ name: "board", states: { title: state({ schema: {}, value: title }) } })
    const { request } = answer(service)
    const get = (since: string) => request("tools/call", { name: "get_state", arguments: { since } })
    const first = await get("")
    const since = /^\nsince: (.+)$/.exec((first["content"] as { text: string }[])[1]?.text ?? "")?.[1] ?? "" // As tools/call answers.

    expect(textOf(await get(since))).toBe("unchanged")
    title.next("C")
    expect(jsonOf(await get(since))).toEqual({ title: "C" })
  })

  it("reads the part at a pointer, and refuses a pointer without a value", async () => {
    const { request } = answer(graph())
    const get = (pointer: string) => request("tools/call", { name: "get_state", arguments: { path: "first", pointer } })

    expect(textOf(await get("/cards/0"))).toBe("x")
    expect(textOf(await get("/cards/1"))).toContain('there is no value at "/cards/1" now')
  })

  it.each([{ path: 1 }, { keys: "title" }, { keys: [1] }, { key: "title" }, { offset: -1 }, { pointer: 1 }])(
    "refuses %j",
    async (given) => {
      const result = await answer(graph()).request("tools/call", { name: "get_state", arguments: given })

      expect(result).toMatchObject({ isError: true })
      expect(textOf(result)).toContain("invalid_input")
    },
  )

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

  it("says how to ask for fewer links if there are too many", async () => {
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

describe("a call of a built-in tool", () => {
  const add = action({ description: "Add", execute: () => {} })
  const board = createAgenticService({ name: "board", actions: { add } })

  it("appears in events like any call", async () => {
    const { request, events, ledger } = answer(board)

    await request("tools/call", { name: "get_state", arguments: { keys: ["missing"] } })

    expect(events).toMatchObject([
      { type: "call-started", name: "get_state", args: { keys: ["missing"] } },
      { type: "call-settled", name: "get_state", outcome: { ok: false, code: "not_found" } },
    ])
    expect(ledger.counts().call).toBe(0)
  })

  it("appears once, under the action's name, if it calls an action", async () => {
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
