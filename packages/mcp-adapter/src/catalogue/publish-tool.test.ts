import { action, createAgenticService, link, links, toAgenticService } from "@x/agentic-service"
import { of } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer } from "../handlers/answer.fixture.js"
import type { ToolDefinition } from "./entry.js"

const run = () => undefined

/** The tools that are listed of a service, by the name of nobody's but the service's own. */
async function listOf(service: Parameters<typeof answer>[0]): Promise<readonly ToolDefinition[]> {
  const { tools } = await answer(service).request("tools/list")
  const own = ["get_state", "list_links", "run_action"]
  return (tools as ToolDefinition[]).filter(({ name }) => !own.includes(name)) // as tools/list answers
}

/** A board of which each card can be completed. */
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
  it("carries what the name lost of the path, so that a model can tell two apart that are called alike", async () => {
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

  it("carries the action's own key where that is what the name lost", async () => {
    const actions = { 完了: action({ description: "Change the card", execute: run }) }
    const [tool] = await listOf(createAgenticService({ name: "card", actions }))

    expect(tool?.description).toBe("Change the card (完了)")
  })

  it("is the author's own where the name says it all, or is the author's as well", async () => {
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
  it("say of an author's action that it destroys nothing, unless that is set", async () => {
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

  it("say nothing of a foreign action of which nothing is known, and what is known of another", async () => {
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
