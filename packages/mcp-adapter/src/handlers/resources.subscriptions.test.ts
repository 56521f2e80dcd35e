import { createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { contextWith } from "../calls/serve.fixture.js"
import type { Notice } from "../views/view.js"
import { answer } from "./answer.fixture.js"
import { createSubscriptions } from "./resources.js"

const uri = "agentic://board/count"

function board() {
  const count = new BehaviorSubject(0)
  const shown = new BehaviorSubject(true)
  const states = { count: state({ schema: { type: "number" }, value: count, when: shown }) }
  return { count, shown, service: createAgenticService({ name: "board", states }) }
}

describe("createSubscriptions", () => {
  it("makes the view watch subscribed URIs until they are released", async () => {
    const { count, service } = board()
    const { options, view } = answer(service)
    const { handlers, has } = createSubscriptions(options)
    const notices: Notice[] = []
    view.notices.subscribe((notice) => notices.push(notice))

    expect(await handlers["resources/subscribe"]?.({ uri }, contextWith())).toEqual({})
    expect(has(uri)).toBe(true)
    count.next(1)
    await new Promise(setImmediate)
    expect(notices).toEqual([{ kind: "updated", uri }])

    expect(await handlers["resources/unsubscribe"]?.({ uri }, contextWith())).toEqual({})
    expect(has(uri)).toBe(false)
  })

  it("ends the view's watch of unsubscribed URIs [legacy-unsubscribe]", async () => {
    const value = new BehaviorSubject(0)
    const a = state({ schema: { type: "number" }, value })
    const { options, view } = answer(createAgenticService({ name: "board", states: { a, b: a } }))
    const { handlers } = createSubscriptions(options)
    const notices: Notice[] = []
    view.notices.subscribe((notice) => notices.push(notice))
    for (const key of ["a", "b"]) {
      await handlers["resources/subscribe"]?.({ uri: `agentic://board/${key}` }, contextWith())
    }

    await handlers["resources/unsubscribe"]?.({ uri: "agentic://board/a" }, contextWith())
    value.next(1)
    await new Promise(setImmediate)

    expect(notices).toEqual([{ kind: "updated", uri: "agentic://board/b" }])
  })

  it("rejects URIs that cannot be read now", async () => {
    const { service, shown } = board()
    const { options } = answer(service)
    shown.next(false)

    const { handlers } = createSubscriptions(options)

    await expect(handlers["resources/subscribe"]?.({ uri }, contextWith())).rejects.toMatchObject({ code: -32002 })
  })

  it("keeps a subscription while its state is hidden", async () => {
    const { service, shown } = board()
    const { options } = answer(service)
    const { handlers, has } = createSubscriptions(options)
    await handlers["resources/subscribe"]?.({ uri }, contextWith())

    shown.next(false)

    expect(has(uri)).toBe(true)
    expect(await handlers["resources/subscribe"]?.({ uri }, contextWith())).toEqual({})
  })

  it("releases everything when closed, and accepts no more", async () => {
    const { options } = answer(board().service)
    const { handlers, has, close } = createSubscriptions(options)
    await handlers["resources/subscribe"]?.({ uri }, contextWith())

    close()
    await handlers["resources/subscribe"]?.({ uri }, contextWith())

    expect(has(uri)).toBe(false)
  })

  it("is empty when states are not resources", () => {
    const { options } = answer(board().service, { states: "tool" })

    expect(createSubscriptions(options).handlers).toEqual({})
  })

  it("accepts an extension's resources, even when states are not resources", async () => {
    const extension = { hasResource: (given: string) => given === "note://one" }
    const { options } = answer(board().service, { states: "tool", extension })
    const { handlers, has } = createSubscriptions(options)

    await handlers["resources/subscribe"]?.({ uri: "note://one" }, contextWith())

    expect(has("note://one")).toBe(true)
    await expect(handlers["resources/subscribe"]?.({ uri }, contextWith())).rejects.toMatchObject({ code: -32002 })
  })

  it("makes an extension follow a subscribed resource until the client unsubscribes", async () => {
    const followed = new Set<string>()
    const extension = {
      hasResource: () => true,
      watchResource(given: string) {
        followed.add(given)
        return () => void followed.delete(given)
      },
    }
    const { options } = answer(board().service, { extension })
    const { handlers, close } = createSubscriptions(options)
    const counts: number[] = []

    await handlers["resources/subscribe"]?.({ uri: "note://one" }, contextWith())
    await handlers["resources/subscribe"]?.({ uri: "note://two" }, contextWith())
    counts.push(followed.size)
    await handlers["resources/unsubscribe"]?.({ uri: "note://one" }, contextWith())
    counts.push(followed.size)
    close()
    counts.push(followed.size)

    expect(counts).toEqual([2, 1, 0])
  })
})
