import { action, createAgenticService, fail, link } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig } from "../catalogue/catalogue.fixture.js"
import { answer } from "../handlers/answer.fixture.js"
import { INVALID_PARAMS } from "../handlers/handler.js"
import { createStableExposure } from "./create-exposure.js"

/** Creates a board whose `undo` and open card come and go. */
function createBoard() {
  const canUndo = new BehaviorSubject(false)
  const card = createAgenticService({
    name: "card",
    actions: { edit: action({ description: "Edit the card", execute: () => undefined }) },
  })
  const open = new BehaviorSubject<typeof card | null>(null)
  const service = createAgenticService({
    name: "board",
    actions: {
      add: action({ description: "Add a card", execute: () => undefined }),
      undo: action({
        description: "Take back the last change",
        when: { is: canUndo, otherwise: "there is no history yet" },
        execute: () => fail("nothing to undo"),
      }),
    },
    links: { open: link({ service: open }) },
  })
  return { service, card, canUndo, open }
}

describe("createStableExposure", () => {
  it("lists the same bytes while actions and links come and go", async () => {
    const { service, card, canUndo, open } = createBoard()
    const { request } = answer(service, { exposure: "stable" })
    open.next(card)
    const before = JSON.stringify(await request("tools/list"))

    for (const change of [() => canUndo.next(true), () => open.next(null), () => canUndo.next(false)]) {
      change()
      expect(JSON.stringify(await request("tools/list"))).toBe(before)
    }
    expect(before).toContain('"open__edit"')
  })

  it("returns the reason why an action cannot be called, and the callable ones", async () => {
    const { service } = createBoard()

    const result = await answer(service, { exposure: "stable" }).request("tools/call", { name: "undo" })

    expect(result).toEqual({
      isError: true,
      content: [
        {
          type: "text",
          text: 'action "undo" is not available now: there is no history yet (not_available)\ncan be called now: add',
        },
      ],
    })
  })

  it.each(["dynamic", "stable"] as const)(
    "with %s, knows the tool of a service that was linked once",
    async (exposure) => {
      const { service, card, open } = createBoard()
      const { request } = answer(service, { exposure })
      open.next(card)
      await request("tools/list")
      open.next(null)

      for (const call of [{ name: "open__edit" }, { name: "run_action", arguments: { name: "open__edit" } }]) {
        expect(await request("tools/call", call)).toMatchObject({
          isError: true,
          content: [{ text: expect.stringContaining("no link leads to its service now (not_available)") }],
        })
      }
    },
  )

  it("neither lists nor knows an action hidden from the caller", async () => {
    const { service } = createBoard()
    const { request } = answer(service, {
      exposure: "stable",
      allow: (entry) => !("key" in entry && entry.key === "undo"),
    })

    expect(JSON.stringify(await request("tools/list"))).not.toContain("undo")
    await expect(request("tools/call", { name: "undo" })).rejects.toMatchObject({ code: INVALID_PARAMS })
    await expect(request("tools/call", { name: "never" })).rejects.toMatchObject({ code: INVALID_PARAMS })
  })

  it("announces new names, but not availability", () => {
    const { service, card, canUndo, open } = createBoard()
    const { clock, view } = createRig(service)
    const told: string[] = []
    createStableExposure()
      .notices(view())
      .subscribe(({ kind }) => told.push(kind))
    const tellOf = (change: () => void) => {
      told.length = 0
      change()
      clock.advance(50)
      return [...told]
    }

    expect([
      tellOf(() => canUndo.next(true)),
      tellOf(() => open.next(card)),
      tellOf(() => open.next(null)),
      tellOf(() => open.next(card)),
    ]).toEqual([[], ["tools"], [], []])
  })
})
