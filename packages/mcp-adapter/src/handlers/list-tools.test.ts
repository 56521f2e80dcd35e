import { action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject, of } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer, modern } from "./answer.fixture.js"
import { INVALID_PARAMS, type Result } from "./handler.js"

const namesOf = (result: Result) => (result["tools"] as { name: string }[]).map((tool) => tool.name) // the shape of a tools/list result

const idle = (key: string) => [key, action({ description: key, execute: () => {} })] as const
const board = (...keys: string[]) =>
  createAgenticService({
    name: "board",
    states: { cards: state({ description: "Cards", schema: { type: "number" }, value: 0 }) },
    actions: Object.fromEntries(keys.map(idle)),
    links: { there: link({ description: "Elsewhere", service: of(null) }) },
  })

describe("createListTools", () => {
  it("lists our own tools on the first page, then callable actions, each sorted by name [tools-order]", async () => {
    const { request } = answer(board("zoom", "add", "kick"))

    expect(namesOf(await request("tools/list"))).toEqual([
      "get_state",
      "list_links",
      "run_action",
      "add",
      "kick",
      "zoom",
    ])
  })

  it("follows the conditions", async () => {
    const is = new BehaviorSubject(false)
    const undo = action({ description: "Undo", when: is, execute: () => {} })
    const { request } = answer(createAgenticService({ name: "board", actions: { undo } }))
    const before = namesOf(await request("tools/list"))

    is.next(true)

    expect(before).not.toContain("undo")
    expect(namesOf(await request("tools/list"))).toContain("undo")
  })

  it("lists our own tools only as the options say", async () => {
    const { request } = answer(board(), { states: "resources", runAction: false, links: false })

    expect(await request("tools/list")).toEqual({ tools: [] })
  })

  it("lists our own tools only when the service declares members for them", async () => {
    const still = createAgenticService({ name: "still", actions: Object.fromEntries(["add"].map(idle)) })
    const undo = action({ description: "Undo", when: of(true), execute: () => {} })
    const moving = createAgenticService({ name: "moving", actions: { undo } })

    expect(namesOf(await answer(still).request("tools/list"))).toEqual(["add"])
    expect(namesOf(await answer(moving).request("tools/list"))).toEqual(["run_action", "undo"])
  })

  it("returns pages that lead to the end [next-cursor]", async () => {
    const { request } = answer(board("a", "b", "c"), { pageSize: 4 })

    const first = await request("tools/list")
    const second = await request("tools/list", { cursor: first["nextCursor"] })

    expect([namesOf(first), namesOf(second)]).toEqual([
      ["get_state", "list_links", "run_action", "a"],
      ["b", "c"],
    ])
    expect(second).not.toHaveProperty("nextCursor")
  })

  it("rejects a cursor that is not ours [cursor-invalid]", async () => {
    const { request } = answer(board())

    await expect(request("tools/list", { cursor: "x" })).rejects.toMatchObject({ code: INVALID_PARAMS })
  })

  it("gives cache hints to the modern era only [cache-hints, cache-legacy]", async () => {
    const { request } = answer(board())

    expect(await request("tools/list", {}, modern)).toMatchObject({ ttlMs: 0, cacheScope: "private" })
    expect(await request("tools/list")).not.toHaveProperty("ttlMs")
  })

  it("lets caches share answers that are equal for all callers [cache-public]", async () => {
    const { request } = answer(board(), { shared: true })

    expect(await request("tools/list", {}, modern)).toMatchObject({ cacheScope: "public" })
  })
})
