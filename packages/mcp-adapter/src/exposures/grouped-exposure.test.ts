import { type AgenticService, action, createAgenticService, links, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { contextWith } from "../calls/serve.fixture.js"
import { type AnswerOptions, answer } from "../handlers/answer.fixture.js"
import type { Result } from "../handlers/handler.js"

const Titled = {
  type: "object",
  properties: { title: { type: "string" } },
  required: ["title"],
  additionalProperties: false,
} as const

interface Column {
  readonly id: string
  readonly full$: BehaviorSubject<boolean>
  readonly service: AgenticService
}

function createColumn(id: string, description = "A column"): Column {
  const full$ = new BehaviorSubject(false)
  const service = createAgenticService({
    name: "column",
    description,
    states: { title: state({ schema: {}, value: id }) },
    actions: {
      rename: action({ description: "Rename this column", input: Titled, execute: ({ title }) => ({ [id]: title }) }),
      remove: action({
        description: "Remove this column",
        destructive: true,
        when: { is: full$, otherwise: "it is not full" },
        execute: () => undefined,
      }),
    },
  })
  return { id, full$, service }
}

/** Serves a board of columns in the exposure `grouped`. */
function open(ids: readonly string[], options: AnswerOptions = {}) {
  const columns = new BehaviorSubject(ids.map((id) => createColumn(id)))
  const whileClearing = { run: (): void => undefined }
  const service = createAgenticService({
    name: "board",
    actions: { clear: action({ description: "Clear the board", execute: () => whileClearing.run() }) },
    links: { columns: links({ of: columns, key: ({ id }) => id, service: (column) => column.service }) },
  })
  const served = answer(service, { exposure: "grouped", ...options })
  const list = async () => (await served.request("tools/list"))["tools"] as Tool[] // as tools/list answers
  return {
    ...served,
    columns,
    whileClearing,
    list,
    names: async () => (await list()).map(({ name }) => name).filter((name) => !BUILT_INS.includes(name)),
    call: (name: string, args: object) => served.request("tools/call", { name, arguments: args }),
  }
}

type Tool = { name: string; inputSchema: { properties: Record<string, object>; required: string[] } }

const BUILT_INS = ["get_state", "list_links", "run_action"]

const textOf = (result: Result): string =>
  // As tools/call answers.
  (result["content"] as { text: string }[]).map(({ text }) => text).join("\n")

describe("the exposure grouped", () => {
  it("lists the same action of several items once, with the item as a parameter", async () => {
    const { list, names, call } = open(["done", "todo"])

    expect(await names()).toEqual(["clear", "columns__rename"])
    expect((await list()).at(-1)?.inputSchema).toEqual({
      ...Titled,
      properties: {
        item: { type: "string", enum: ["done", "todo"] },
        ...Titled.properties,
      },
      required: ["item", "title"],
    })
    expect(textOf(await call("columns__rename", { item: "todo", title: "Next" }))).toBe('{"todo":"Next"}')
  })

  it("lists a single item's actions by themselves, and takes both names at any time", async () => {
    const { columns, names, call } = open(["done", "todo"])
    await names()
    columns.next(columns.value.slice(0, 1))

    expect(await names()).toEqual(["clear", "columns__done__rename"])
    for (const [name, item] of [["columns__done__rename"], ["columns__rename", "done"]] as const)
      expect(textOf(await call(name, { ...(item && { item }), title: "Ready" }))).toBe('{"done":"Ready"}')
  })

  it("takes an item as list_links returns it, and names the items if it is unknown or missing", async () => {
    const { call } = open(["done", "todo"])

    expect(textOf(await call("columns__rename", { item: "columns/todo", title: "Next" }))).toBe('{"todo":"Next"}')
    expect(textOf(await call("columns__rename", { item: "doing", title: "Next" }))).toContain(
      'the item "doing" is unknown: choose from "done", "todo"',
    )
    expect(textOf(await call("columns__rename", { title: "Next" }))).toContain("the item is missing")
  })

  it("lists an action while any item's can be called, and answers the others with their reason", async () => {
    const { columns, names, call } = open(["done", "todo"])
    expect(await names()).not.toContain("columns__remove")

    columns.value[0]?.full$.next(true)

    expect(await names()).toEqual(["clear", "columns__remove", "columns__rename"])
    expect((await call("columns__remove", { item: "done" }))["isError"]).toBeUndefined()
    expect(textOf(await call("columns__remove", { item: "todo" }))).toBe(
      'action "columns__todo__remove" is not available now: it is not full (not_available)\n' +
        "can be called now: columns__rename, columns__remove, clear",
    )
  })

  it("lists an action that differs by itself", async () => {
    const { columns, names } = open(["done", "todo"])
    const odd = createAgenticService({
      name: "column",
      actions: { rename: action({ description: "Rename this column", execute: () => undefined }) },
    })
    columns.next([...columns.value, { ...createColumn("odd"), service: odd }])

    expect(await names()).toEqual(["clear", "columns__odd__rename", "columns__rename"])
  })

  it("names what each item is where that tells them apart", async () => {
    const { columns, list } = open([])
    columns.next([createColumn("c1", "To do"), createColumn("c2", "Done")])

    expect((await list()).at(-1)?.inputSchema.properties["item"]).toEqual({
      type: "string",
      enum: ["c1", "c2"],
      description: "The column: c1 is To do; c2 is Done",
    })
  })

  it("stops listing the items at 21, and lists them again at 10", async () => {
    const { columns, list } = open([])
    const itemOf = async (count: number) => {
      columns.next(Array.from({ length: count }, (_, index) => createColumn(`c${index}`)))
      return (await list()).at(-1)?.inputSchema.properties["item"]
    }
    const words = { type: "string", description: 'The column: a path below "columns" from list_links' }

    expect(await itemOf(20)).toHaveProperty("enum.length", 20)
    expect(await itemOf(21)).toEqual(words)
    expect(await itemOf(11)).toEqual(words)
    expect(await itemOf(10)).toHaveProperty("enum.length", 10)
    expect(await itemOf(20)).toHaveProperty("enum.length", 20)
  })

  it("announces only what differs in its list", async () => {
    const { columns, names, options } = open(["done", "todo"])
    await names()
    const notices: string[] = []
    options.exposure.notices(options.view).subscribe(({ kind }) => notices.push(kind))
    const settle = () => new Promise((resolve) => options.host.clock.after(60, () => resolve(undefined)))
    const after = async (change: () => void) => {
      notices.length = 0
      change()
      await settle()
      return notices.filter((kind) => kind === "tools").length
    }
    const [first, second] = columns.value

    expect(await after(() => first?.full$.next(true))).toBe(1)
    expect(await after(() => second?.full$.next(true))).toBe(0)
    expect(await after(() => first?.full$.next(false))).toBe(0)
    expect(await after(() => second?.full$.next(false))).toBe(1)
    expect(await after(() => columns.next([...columns.value, createColumn("doing")]))).toBe(1)
    const many = Array.from({ length: 25 }, (_, index) => createColumn(`c${index}`))
    expect(await after(() => columns.next(many))).toBe(1)
    expect(await after(() => columns.next([...many, createColumn("more")]))).toBe(0)
  })

  it("announces an item that goes while none of its shared actions can be called", async () => {
    const columns = new BehaviorSubject(["a", "b", "c"].map((id) => createColumn(id)))
    const [first] = columns.value
    const only = ({ id, service }: Column) =>
      createAgenticService({ name: id, links: {}, actions: { remove: removeOf(service) } })
    const removeOf = (service: AgenticService) => {
      const full$ = columns.value.find((column) => column.service === service)?.full$ ?? new BehaviorSubject(false)
      return action({ description: "Remove", when: full$, execute: () => undefined })
    }
    const service = createAgenticService({
      name: "board",
      links: { columns: links({ of: columns, key: ({ id }) => id, service: only }) },
    })
    const { options, request } = answer(service, { exposure: "grouped" })
    first?.full$.next(true)
    await request("tools/list")
    const notices: string[] = []
    options.exposure.notices(options.view).subscribe(({ kind }) => notices.push(kind))

    columns.next(columns.value.slice(0, 2))
    await new Promise((resolve) => options.host.clock.after(60, () => resolve(undefined)))

    expect(notices).toContain("tools")
  })

  it("tells in a result which items' actions came and went", async () => {
    const { columns, call, whileClearing } = open(["done", "todo"], { catchUp: true })
    const [done, todo] = columns.value
    const lines = async (change: () => void) => {
      whileClearing.run = change
      return textOf(await call("clear", {}))
    }

    expect(await lines(() => done?.full$.next(true))).toContain("- columns__remove (item: done): Remove this column")
    expect(await lines(() => todo?.full$.next(true))).toContain("can be called now: columns__remove (item: todo)")
    expect(await lines(() => done?.full$.next(false))).toContain("cannot be called now: columns__remove (item: done)")
    expect(await lines(() => columns.next([...columns.value, createColumn("doing")]))).toContain(
      "can be called now: columns__rename (item: doing)",
    )
    expect(await lines(() => columns.next(columns.value.slice(0, 2)))).toContain(
      "cannot be called now: columns__rename (item: doing)",
    )
  })

  it("groups the items of collections within items, those of all outer items that are alike", async () => {
    const toBoard = (name: string, columns: readonly string[]) =>
      createAgenticService({
        name,
        links: { columns: links({ of: columns, key: (id) => id, service: (id) => createColumn(id).service }) },
      })
    const boards = new BehaviorSubject([toBoard("b1", ["c1", "c2"])])
    const service = createAgenticService({
      name: "desk",
      links: { boards: links({ of: boards, key: ({ name }) => name, service: (board) => board }) },
    })
    const { request } = answer(service, { exposure: "grouped" })
    const list = async () => ((await request("tools/list"))["tools"] as Tool[]).at(-1) // as tools/list answers

    const one = await list()
    expect([one?.name, one?.inputSchema.properties["item"]]).toMatchObject([
      "boards__b1__columns__rename",
      { enum: ["c1", "c2"] },
    ])
    boards.next([...boards.value, toBoard("b2", ["c1"])])
    const two = await list()
    expect([two?.name, two?.inputSchema.properties["item"]]).toMatchObject([
      "boards__columns__rename",
      { enum: ["b1/c1", "b1/c2", "b2/c1"] },
    ])
    for (const [name, item] of [
      ["boards__columns__rename", "b1/c2"],
      ["boards__columns__rename", "boards/b1/columns/c2"],
      ["boards__b1__columns__rename", "c2"],
    ]) {
      const result = await request("tools/call", { name, arguments: { item, title: "Next" } })
      expect(textOf(result)).toBe('{"c2":"Next"}')
    }
  })

  it("runs both names through run_action", async () => {
    const { call } = open(["done", "todo"])
    const run = async (name: string, args: object) => textOf(await call("run_action", { name, arguments: args }))

    expect(await run("columns__rename", { item: "todo", title: "Next" })).toBe('{"todo":"Next"}')
    expect(await run("columns__todo__rename", { title: "Next" })).toBe('{"todo":"Next"}')
  })

  it("names the item's own action in events", async () => {
    const { call, events } = open(["done", "todo"])
    await call("columns__rename", { item: "todo", title: "Next" })

    expect(events).toContainEqual(
      expect.objectContaining({ type: "call-started", name: "columns__todo__rename", args: { title: "Next" } }),
    )
  })

  it("refuses a destructive call on an item that was replaced since it was listed", async () => {
    const { columns, list, call } = open(["done", "todo"])
    for (const { full$ } of columns.value) full$.next(true)
    await list()
    const other = createColumn("todo")
    other.full$.next(true)
    columns.next([])
    columns.next([createColumn("done"), other])

    expect(textOf(await call("columns__remove", { item: "todo" }))).toContain(
      '"columns/todo" has been replaced since it was last listed or read, so "columns__todo__remove" did not run',
    )
    expect((await call("columns__remove", { item: "todo" }))["isError"]).toBeUndefined()
  })

  it("knows no item that is hidden from the caller", async () => {
    const { list, call } = open(["a", "b", "c"], {
      allow: (entry) => entry.kind !== "tool" || entry.path[1] !== "b",
    })

    expect((await list()).at(-1)?.inputSchema.properties["item"]).toMatchObject({ enum: ["a", "c"] })
    const refused = async (item: string) =>
      textOf(await call("columns__rename", { item, title: "x" })).replaceAll(item, "?")
    expect(await refused("b")).toBe(await refused("never"))
  })

  it("tells a model how to confirm a call by token, without the item", async () => {
    const rows = new BehaviorSubject(["a", "b"])
    const service = createAgenticService({
      name: "desk",
      links: {
        rows: links({
          of: rows,
          key: (id) => id,
          service: (id) =>
            createAgenticService({
              name: "row",
              actions: {
                burn: action({ description: "Burn", confirm: () => `Burn ${id}?`, execute: () => ({ burnt: id }) }),
              },
            }),
        }),
      },
    })
    const { request } = answer(service, { exposure: "grouped", confirm: true, questions: { incapable: "token" } })
    const call = (name: string, args: object) => request("tools/call", { name, arguments: args }, contextWith())

    const asked = textOf(await call("rows__burn", { item: "b" }))
    expect(asked).toContain('with this name, the same arguments except "item", and "confirm"')
    const confirm = JSON.parse(/"confirm": (".*")/.exec(asked)?.[1] ?? "null")
    expect(textOf(await call("run_action", { name: "rows__burn", arguments: { item: "b" }, confirm }))).toBe(
      '{"burnt":"b"}',
    )
  })
})
