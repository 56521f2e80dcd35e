import { action, createAgenticService, type Principal } from "@x/agentic-service"
import { BehaviorSubject, Observable } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import type { AdapterEvent } from "../calls/adapter-event.js"
import { createMcpAdapter } from "../create-adapter.js"
import type { McpAdapterOptions } from "../options.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"

/** Serves one desk to everybody through a function of the principal. */
function serveDesk(options: McpAdapterOptions = {}) {
  const clock = createManualClock()
  const isLit = new BehaviorSubject(true)
  const followers = { now: 0, ever: 0 }
  const when = new Observable<boolean>((subscriber) => {
    followers.now += 1
    followers.ever += 1
    const subscription = isLit.subscribe(subscriber)
    return () => {
      followers.now -= 1
      subscription.unsubscribe()
    }
  })
  const desk = createAgenticService({
    name: "desk",
    actions: {
      read: action({ description: "Reads", when, execute: () => undefined }),
      crash: action({
        description: "Crashes",
        execute: () => {
          throw new Error("the secret of ann")
        },
      }),
    },
  })
  const adapter = createMcpAdapter(() => desk, { clock, principals: { idleMs: 1_000 }, ...options })
  onTestFinished(adapter.close)
  const events: AdapterEvent[] = []
  adapter.events.subscribe((event) => events.push(event))
  const open = (id: string) => adapter.core.open({ id })
  return { adapter, clock, isLit, followers, events, open }
}

describe("createSharedCatalogues", () => {
  it("watches a service once, whoever reaches it, until nobody does", () => {
    const { adapter, clock, followers, open } = serveDesk()
    const leases = ["ann", "bob", "cid"].map(open)
    const lists = leases.map(({ view }) => view.snapshot().tools)

    expect(followers).toEqual({ now: 1, ever: 1 })
    expect(new Set(lists).size).toBe(1)
    expect(new Set(leases.map(({ view }) => view.id)).size).toBe(3)

    leases[0]?.release()
    clock.advance(1_000)
    expect(followers.now).toBe(1)
    for (const { release } of leases) release()
    clock.advance(1_000)
    expect(followers.now).toBe(0)
    expect(adapter.ledger.counts()).toMatchObject({ view: 0, subscription: 0, timer: 0 })
  })

  it("reports a change to each view that sees it, and to no other", () => {
    const allow = (principal: Principal | undefined, { kind, ...entry }: { kind: string; key?: string }) =>
      principal?.id !== "bob" || kind === "link" || entry.key !== "read"
    const { clock, isLit, events, open } = serveDesk({ allow })
    const [ann, bob, cid] = ["ann", "bob", "cid"].map((id) => open(id).view.id)
    clock.endTask()
    events.length = 0

    isLit.next(false)
    clock.endTask()

    const changes = events.flatMap((event) => (event.type === "changed" ? [event] : []))
    expect(changes.map(({ view, principal }) => [view, principal?.id])).toEqual([
      [ann, "ann"],
      [cid, "cid"],
    ])
    expect(changes.map(({ diff }) => diff.tools.vanished.map(({ name }) => name))).toEqual([["read"], ["read"]])
    expect(bob).toBeDefined()
  })

  it("reports a failure to the only view of a service, and to no view in particular if several share it", async () => {
    const { adapter, events, open } = serveDesk()
    const ann = open("ann")
    const notes = (): unknown[] => events.flatMap((event) => (event.type === "diagnostic" ? [event.view] : []))

    await adapter.call("crash", {}, { principal: { id: "ann" } })
    open("bob")
    await adapter.call("crash", {}, { principal: { id: "ann" } })

    expect(notes()).toEqual([ann.view.id, undefined])
  })
})
