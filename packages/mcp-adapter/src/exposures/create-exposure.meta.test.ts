import { action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig } from "../catalogue/catalogue.fixture.js"
import { type AnswerOptions, answer } from "../handlers/answer.fixture.js"
import { INVALID_PARAMS, type Params, type Result } from "../handlers/handler.js"
import { createMetaExposure } from "./create-exposure.js"

const textOf = (result: Result) => (result["content"] as { text: string }[])[0]?.text ?? "" // as tools/call answers

/** Creates a board with an `undo` that comes and goes, and a read-only action that counts cards. */
function createBoard() {
  const canUndo = new BehaviorSubject(false)
  const cards: string[] = []
  const add = action({ description: "Add a card", execute: () => void cards.push("x") })
  const count = action({ description: "Count the cards", readOnly: true, execute: () => cards.length })
  const clear = action({ description: "Delete every card", destructive: true, execute: () => void cards.splice(0) })
  const undo = action({
    description: "Take back the last change",
    when: { is: canUndo, otherwise: "there is no history yet" },
    execute: () => void cards.pop(),
  })
  const service = createAgenticService({
    name: "board",
    description: "A project board",
    states: { title: state({ schema: {}, value: "B" }) },
    actions: { add, count, clear, undo },
  })
  return { service, canUndo }
}

function serveBoard(options: Partial<AnswerOptions> = {}) {
  const { service, canUndo } = createBoard()
  const { request, view } = answer(service, { exposure: "meta", ...options })
  const call = (name: string, args: Params = {}) => request("tools/call", { name, arguments: args })
  return {
    request,
    view,
    canUndo,
    call,
    find: async (args: Params = {}) => JSON.parse(textOf(await call("find_actions", args))),
  }
}

describe("createMetaExposure", () => {
  it("lists a few fixed tools for any service, and describes the service in one", async () => {
    const { request, canUndo } = serveBoard()
    const before = await request("tools/list")

    canUndo.next(true)

    expect(await request("tools/list")).toEqual(before)
    expect((before["tools"] as { name: string }[]).map(({ name }) => name)).toEqual([
      "find_actions",
      "get_state",
      "run_action",
      "run_read_action",
    ])
    expect(JSON.stringify(before)).toContain('This is \\"board\\": A project board')
  })

  it("sends no notices about tools", () => {
    const { service, canUndo } = createBoard()
    const { clock, view } = createRig(service)
    const told: string[] = []
    createMetaExposure()
      .notices(view())
      .subscribe(({ kind }) => told.push(kind))

    canUndo.next(true)
    clock.advance(50)

    expect(told).toEqual([])
  })

  it("accepts every known action by its own name as well, and no other", async () => {
    const { call } = serveBoard()

    expect(textOf(await call("count"))).toBe('{"result":0}')
    expect(textOf(await call("undo"))).toContain("there is no history yet (not_available)")
    await expect(call("never")).rejects.toMatchObject({ code: INVALID_PARAMS })
  })

  it("has no trace of states if they are omitted", async () => {
    const { call } = serveBoard({ states: "omit" })

    await expect(call("get_state")).rejects.toMatchObject({ code: INVALID_PARAMS })
  })
})

describe("find_actions", () => {
  it("lists actions by name, with the tool that runs each and the reason if unavailable", async () => {
    const { find } = serveBoard()
    const nothing = { inputSchema: { type: "object", properties: {}, additionalProperties: false } }

    expect(await find()).toEqual({
      actions: [
        { name: "add", description: "Add a card", runWith: "run_action", ...nothing, available: true },
        {
          name: "clear",
          description: "Delete every card",
          runWith: "run_action",
          destructive: true,
          ...nothing,
          available: true,
        },
        { name: "count", description: "Count the cards", runWith: "run_read_action", ...nothing, available: true },
        {
          name: "undo",
          description: "Take back the last change",
          runWith: "run_action",
          ...nothing,
          available: false,
          reason: "there is no history yet",
        },
      ],
      total: 4,
    })
  })

  it("finds actions by words, with their current availability", async () => {
    const { find, canUndo } = serveBoard()
    expect(await find({ query: "take back" })).toMatchObject({
      actions: [{ name: "undo", available: false }],
      total: 1,
    })

    canUndo.next(true)

    expect(await find({ query: "take back" })).toMatchObject({ actions: [{ name: "undo", available: true }], total: 1 })
  })

  it("omits unavailable actions on request", async () => {
    const { find } = serveBoard()

    expect(await find({ query: "undo", available: true })).toMatchObject({ actions: [], total: 0 })
    expect((await find({ available: true })).total).toBe(3)
  })

  it("pages, and returns the next offset", async () => {
    const { find } = serveBoard()
    const names: string[] = []

    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: { actions: { name: string }[]; next?: number } = await find({ offset, limit: 3 })
      names.push(...page.actions.map(({ name }) => name))
      offset = page.next
    }

    expect(names).toEqual(["add", "clear", "count", "undo"])
  })

  it("returns as many actions as fit, but at least one", async () => {
    const { find } = serveBoard({ sizeLimit: 10 })

    expect(await find()).toMatchObject({ actions: [{ name: "add" }], total: 4, next: 1 })
  })

  it("says what to do if it finds nothing", async () => {
    expect((await serveBoard().find({ query: "weather" })).hint).toBe(
      'no action matches: try other words, or omit "query" to list everything',
    )
    const empty = answer(createAgenticService({ name: "empty" }), { exposure: "meta" })

    expect(textOf(await empty.request("tools/call", { name: "find_actions" }))).toContain("there are no actions")
  })

  it("finds no action hidden from the caller", async () => {
    const { find } = serveBoard({ allow: (entry) => entry.kind !== "tool" || entry.key !== "undo" })

    expect(JSON.stringify(await find({ query: "undo" }))).not.toContain("take back")
    expect((await find()).total).toBe(3)
  })

  it("finds a moved action once, under its current name", async () => {
    const child = createAgenticService({
      name: "c",
      actions: { edit: action({ description: "Edit", execute: () => undefined }) },
    })
    const first = new BehaviorSubject<typeof child | null>(child)
    const root = createAgenticService({
      name: "s",
      links: { a: link({ service: first }), b: link({ service: child }) },
    })
    const { request } = answer(root, { exposure: "meta" })
    await request("tools/call", { name: "find_actions" })

    first.next(null)

    const found = JSON.parse(textOf(await request("tools/call", { name: "find_actions" })))
    expect(found).toMatchObject({ actions: [{ name: "b__edit", available: true }], total: 1 })
  })

  it.each([
    { query: 1 },
    { query: "x".repeat(501) },
    { limit: 0 },
    { limit: 51 },
    { offset: -1 },
    { available: "yes" },
    { path: "" },
  ])("refuses %j", async (given) => {
    const result = await serveBoard().call("find_actions", given)

    expect([result["isError"], textOf(result)]).toEqual([true, expect.stringContaining("invalid_input")])
  })
})

describe("run_read_action", () => {
  it("runs a read-only action", async () => {
    const { call } = serveBoard()

    expect(textOf(await call("run_read_action", { name: "count" }))).toBe('{"result":0}')
  })

  it.each(["add", "clear", "undo"])(
    "refuses %s, which is not read-only, and names the tool that runs it",
    async (name) => {
      const { call } = serveBoard()

      const result = await call("run_read_action", { name })

      expect(result).toMatchObject({ isError: true })
      expect(textOf(result)).toBe(
        `action "${name}" may change something, and "run_read_action" runs only read-only actions (not_read_only)\n` +
          'run it with "run_action"',
      )
      expect(textOf(await call("count"))).toBe('{"result":0}')
    },
  )

  it("refuses an action that never existed, like tools/call", async () => {
    await expect(serveBoard().call("run_read_action", { name: "never" })).rejects.toMatchObject({
      code: INVALID_PARAMS,
    })
  })

  it("refuses other arguments", async () => {
    expect(textOf(await serveBoard().call("run_read_action", { action: "count" }))).toContain("invalid_input")
  })
})

describe("run_action in the exposure meta", () => {
  it("runs any available action", async () => {
    const { call } = serveBoard()

    await call("run_action", { name: "add" })

    expect(textOf(await call("run_action", { name: "count" }))).toBe('{"result":1}')
    expect(textOf(await call("run_action", { name: "undo" }))).toContain("there is no history yet (not_available)")
  })
})
