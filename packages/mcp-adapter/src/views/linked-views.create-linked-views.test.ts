import { action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject, firstValueFrom, map, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import type { CallContext } from "../calls/call-context.js"
import { contextWith } from "../calls/serve.fixture.js"
import { createMcpAdapter } from "../create-adapter.js"
import type { McpAdapterOptions } from "../options.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"

const modern: Partial<CallContext> = {
  leg: { transport: "http", era: "modern", notices: true },
  clientCapabilities: { elicitation: {} },
}

/** Creates two rooms, linked under their own names, one of them also as `here`. */
function createHouse(options: McpAdapterOptions = {}) {
  const clock = createManualClock()
  const done = new Subject<void>()
  const begun = new Subject<void>()
  const room = (name: string) =>
    createAgenticService({
      name,
      actions: {
        air: action({ description: "Air", execute: (_, { signal }) => until(done, signal, begun) }),
        clean: action({
          description: "Clean",
          output: { type: "string" },
          confirm: () => "Sure?",
          execute: () => name,
        }),
      },
    })
  const rooms = { bath: room("bath"), hall: room("hall") }
  const here = new BehaviorSubject<"bath" | "hall" | null>("bath")
  const service = createAgenticService({
    name: "house",
    links: {
      bath: link({ service: rooms.bath }),
      hall: link({ service: rooms.hall }),
      here: link({ service: here.pipe(map((name) => (name === null ? null : rooms[name]))) }),
    },
  })
  const adapter = createMcpAdapter(service, { clock, ...options })
  const open = (...path: string[]) => {
    const lease = adapter.core.linked(path, undefined)
    if (lease === undefined) throw new Error(`expected a service at ${path.join("/")}`)
    return lease
  }
  return { adapter, clock, here, done, begun: firstValueFrom(begun), open }
}

function until(done: Subject<void>, signal: AbortSignal, begun: Subject<void>): Promise<void> {
  begun.next()
  return new Promise((resolve, reject) => {
    done.subscribe(() => resolve())
    signal.addEventListener("abort", () => reject(signal.reason))
  })
}

describe("createLinkedViews", () => {
  it("shares one view per path", () => {
    const { adapter, open } = createHouse()

    expect(open("bath").view).toBe(open("bath").view)
    expect(open("here").view).not.toBe(open("bath").view)
    expect(adapter.core.linked(["cellar"], undefined)).toBeUndefined()
    adapter.close()
  })

  it("releases a service that is unused for the idle time", () => {
    const { adapter, clock, open } = createHouse({ principals: { idleMs: 1_000 } })
    const before = adapter.ledger.counts()
    open("bath").release()
    clock.advance(999)
    expect(adapter.ledger.counts().view).toBe(1)

    clock.advance(1)

    expect(adapter.ledger.counts()).toEqual({ ...before, timer: 0 })
    adapter.close()
  })

  it("never answers for the former service, not even within the task", () => {
    const { adapter, here, open } = createHouse()
    const before = open("here").view

    here.next("hall")

    expect(before.resolve("air")).toMatchObject({ status: "unavailable" })
    expect(open("here").view.resolve("air")).toMatchObject({ status: "available" })
    adapter.close()
  })

  it("continues when its service is recreated with an equal id, and shows the new one", () => {
    const clock = createManualClock()
    const room = (warmth: number) =>
      createAgenticService({
        name: "room",
        id: "room-7",
        states: { warmth: state({ schema: { type: "number" }, value: new BehaviorSubject(warmth) }) },
        actions: { clean: action({ description: "Clean", output: { type: "number" }, execute: () => warmth }) },
      })
    const here = new BehaviorSubject(room(18))
    const service = createAgenticService({ name: "house", links: { here: link({ service: here }) } })
    const adapter = createMcpAdapter(service, { clock })
    const { view } = adapter.core.linked(["here"], undefined) ?? {}
    const told: unknown[] = []
    view?.watch("all")
    view?.notices.subscribe({ next: ({ kind }) => told.push(kind), complete: () => told.push("closed") })
    expect(view?.statesAt([])?.map((entry) => entry.current()?.value)).toEqual([18])

    here.next(room(21))
    expect(view?.resolve("clean")).toMatchObject({ status: "available" })
    clock.endTask()

    expect(view?.statesAt([])?.map((entry) => entry.current()?.value)).toEqual([21])
    expect(adapter.core.linked(["here"], undefined)?.view).toBe(view)
    expect(told).toEqual(["updated"])
    adapter.close()
  })

  it("is closed once its link is gone and its calls are answered", async () => {
    const { adapter, clock, here, done, begun, open } = createHouse()
    const { view } = open("here")
    const events: string[] = []
    view.notices.subscribe({ complete: () => events.push("closed") })
    const call = adapter.core.calls
      .call(view, { name: "air", args: {}, context: contextWith() })
      .then(() => events.push("answered"))
    await begun

    here.next(null)
    clock.endTask()
    expect(adapter.core.linked(["here"], undefined)).toBeUndefined()
    expect(events).toEqual([])
    done.next()
    await call
    clock.endTask()

    expect(events).toEqual(["answered", "closed"])
    adapter.close()
  })

  it("stops a call when its link is removed, with `hidden: abort`", async () => {
    const { adapter, clock, here, begun, open } = createHouse({ calls: { hidden: "abort" } })
    const { view } = open("here")
    const call = adapter.core.calls.call(view, { name: "air", args: {}, context: contextWith({}) })
    await begun

    here.next(null)
    clock.endTask()

    expect(await call).toMatchObject({ outcome: { ok: false } })
    adapter.close()
  })

  it("rejects an answer to another service's question", async () => {
    const { adapter, open } = createHouse()
    const clean = (at: string, context: CallContext) =>
      adapter.core.calls.call(open(at).view, { name: "clean", args: {}, context })
    const asked = await clean("bath", contextWith(modern))
    const answered = contextWith({
      ...modern,
      ...(asked?.kind === "asked" && { requestState: asked.state }),
      inputResponses: { _confirm: { action: "accept", content: { confirm: true } } },
    })

    expect(await clean("hall", answered)).toMatchObject({ outcome: { ok: false } })
    expect(await clean("bath", answered)).toMatchObject({ outcome: { ok: true, value: "bath" } })
    adapter.close()
  })

  it("ends with the adapter", () => {
    const { adapter, open } = createHouse()
    open("bath")
    open("here").release()

    adapter.close()

    expect(Object.values(adapter.ledger.counts()).every((count) => count === 0)).toBe(true)
    expect(adapter.core.linked(["bath"], undefined)).toBeUndefined()
  })
})
