import { action, createAgenticService, link, links, toAgenticService } from "@x/agentic-service"
import { of } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer } from "../handlers/answer.fixture.js"
import type { ToolDefinition } from "./entry.js"

const run = () => undefined

/** Returns a service's listed tools without the adapter's own. */
async function listOf(service: Parameters<typeof answer>[0]): Promise<readonly ToolDefinition[]> {
  const { tools } = await answer(service).request("tools/list")
  const own = ["get_state", "list_links", "run_action"]
  return (tools as ToolDefinition[]).filter(({ name }) => !own.includes(name)) // the shape of a tools/list result
}

/** Creates a board whose cards can each be completed. */
function boardOf(...cards: readonly string[]) {
  const complete = action({ description: "Complete the card", execute: run })
  const card = () => createAgenticService({ name: "card", actions: { complete } })
  const all = links({
    description: "One per card",
    of: cards.map((id) => ({ id })),
    key: ({ id }) => id,
    service: card,
  })
  return createAgenticService({ name: "board", links: { cards: all } })
}

describe("the description of a tool", () => {
  it("contains path segments missing from the name, so that a model can distinguish similar names", async () => {
    const tools = await listOf(boardOf("牛乳を買う", "請求書を送る"))

    expect(tools.map(({ description }) => description).sort()).toEqual([
      "Complete the card (cards / 牛乳を買う)",
      "Complete the card (cards / 請求書を送る)",
    ])
    expect(new Set(tools.map(({ name }) => name)).size).toBe(2)
  })

  it.each(["a".repeat(60), "with a space", "a__b__", "half \ud83d"])(
    "carries a key that a name has no room for: %j",
    async (key) => {
      const [tool] = await listOf(boardOf(key))

      expect(tool?.description).toBe(`Complete the card (cards / ${key.replace("\ud83d", "\ufffd")})`)
    },
  )

  it("contains the action's key when the name lost it", async () => {
    const actions = { 完了: action({ description: "Change the card", execute: run }) }
    const [tool] = await listOf(createAgenticService({ name: "card", actions }))

    expect(tool?.description).toBe("Change the card (完了)")
  })

  it("is the author's own when the name is complete, or chosen by the author", async () => {
    const card = createAgenticService({
      name: "card",
      actions: {
        done: action({ description: "Complete", execute: run }),
        "all done": action({ description: "Complete all", toolName: "all_done", execute: run }),
      },
    })
    const board = createAgenticService({ name: "board", links: { card: link({ description: "A", service: card }) } })

    expect((await listOf(board)).map(({ description }) => description)).toEqual(["Complete all", "Complete"])
  })
})

describe("the hints of a tool", () => {
  it("declare an author's action non-destructive by default", async () => {
    const actions = {
      add: action({ description: "Add", execute: run }),
      clear: action({ description: "Clear", destructive: true, execute: run }),
      peek: action({ description: "Peek", readOnly: true, idempotent: true, openWorld: false, execute: run }),
    }
    const tools = await listOf(createAgenticService({ name: "list", actions }))

    expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
      add: { destructiveHint: false },
      clear: { destructiveHint: true },
      peek: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    })
  })

  it("contain only what is known about a foreign action", async () => {
    const made = (description: string) => ({ description, execute: async () => undefined })
    const hero = {
      states: of({}),
      actions: of({ hit: made("Hit"), look: made("Look") }),
      links: of({}),
      execute: async () => undefined,
    }
    const hints = (key: string) => (key === "look" ? { readOnly: true } : undefined)
    const tools = await listOf(toAgenticService(hero, { hints }))

    expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
      hit: {},
      look: { readOnlyHint: true },
    })
  })
})
