import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { contextWith } from "../calls/serve.fixture.js"
import { createMcpAdapter } from "../create-adapter.js"
import type { McpAdapterOptions } from "../options.js"
import { createManualClock } from "../runtime/manual-clock.fixture.js"
import type { Health } from "./health.js"

/** Creates an adapter with a manual clock, whose action `wait` runs until released, ignoring its signal. */
async function createWaiting(calls: McpAdapterOptions["calls"] = {}) {
  const clock = createManualClock()
  const releases: (() => void)[] = []
  const wait = action({ description: "Wait", execute: () => new Promise<void>((resolve) => releases.push(resolve)) })
  const adapter = createMcpAdapter(createAgenticService({ name: "waiting", actions: { wait } }), { calls, clock })
  await adapter.list()
  clock.endTask()
  const heard: Health[] = []
  const subscription = adapter.health.subscribe((health) => heard.push(health))
  /** Runs pending promises, then ends the task. */
  const settle = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    clock.endTask()
  }
  return { adapter, clock, heard, releases, settle, subscription, newest: () => heard.at(-1) }
}

const healthy = { running: 0, waiting: 0, stuck: 0, late: 0, busy: 0, diagnostics: {}, lastErrors: [] }

describe("adapter.health", () => {
  it("emits the current health to every new subscriber", async () => {
    const { adapter, heard } = await createWaiting()
    const other: Health[] = []

    adapter.health.subscribe((health) => other.push(health))

    expect(heard).toMatchObject([healthy])
    expect(other).toMatchObject([healthy])
  })

  it("emits running, queued and refused calls, once a task", async () => {
    const { adapter, heard, newest, releases, settle } = await createWaiting({ running: 1, waiting: 1 })

    const answers = [1, 2, 3].map(() => adapter.call("wait"))
    await settle()
    const during = newest()
    const changes = heard.length
    releases[0]?.()
    await settle()
    releases[1]?.()
    await Promise.all(answers)
    await settle()

    expect(during).toMatchObject({ running: 1, waiting: 1, busy: 1 })
    expect(changes).toBe(2)
    expect(newest()).toMatchObject({ ...healthy, busy: 1 })
  })

  it("counts stuck actions, and those that end late", async () => {
    const { adapter, clock, newest, releases, settle } = await createWaiting({ timeoutMs: 10, graceMs: 5 })

    const answer = adapter.call("wait")
    await settle()
    clock.advance(15)
    await answer
    await settle()
    const stuck = newest()
    releases[0]?.()
    await settle()

    expect(stuck).toMatchObject({ running: 0, stuck: 1, late: 0 })
    expect(newest()).toMatchObject({ stuck: 0, late: 1 })
  })

  it("counts diagnostics, and keeps the latest without their causes", async () => {
    const { adapter, newest, settle } = await createWaiting()

    for (let time = 1; time <= 25; time += 1) {
      const message = `the client ${time} left too much`
      adapter.core.host.report({ code: "peer_dropped", message, cause: new Error("secret") })
    }
    await settle()

    const { dropped, diagnostics, lastErrors = [] } = newest() ?? {}
    expect(dropped).toEqual({ peers: 25, sessions: 0, results: 0 })
    expect(diagnostics).toEqual({ peer_dropped: 25 })
    expect(lastErrors).toHaveLength(20)
    expect(lastErrors.at(-1)).toEqual({
      code: "peer_dropped",
      message: "the client 25 left too much",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(JSON.stringify(newest())).not.toContain("secret")
  })

  it("counts sessions and streams opened by bindings", async () => {
    const { adapter, newest, settle } = await createWaiting()

    const end = [adapter.ledger.open("session"), adapter.ledger.open("stream")]
    await settle()
    const during = newest()
    for (const close of end) close()
    await settle()

    expect(during).toMatchObject({ sessions: 1, streams: 1 })
    expect(newest()).toMatchObject({ sessions: 0, streams: 0 })
  })

  it("emits nothing for changes undone within a task", async () => {
    const { adapter, heard, settle } = await createWaiting()

    adapter.ledger.open("session")()
    await settle()

    expect(heard).toHaveLength(1)
  })

  it("holds nothing without subscribers", async () => {
    const { adapter, clock, heard, subscription } = await createWaiting()
    const held = adapter.ledger.counts().subscription

    adapter.ledger.open("session")
    subscription.unsubscribe()
    clock.endTask()

    expect(adapter.ledger.counts().subscription).toBe(held - 1)
    expect(heard).toHaveLength(1)
  })

  it("completes once the adapter is closed and every call is answered, then emits the final health to late subscribers", async () => {
    const { adapter, clock, releases, settle, subscription } = await createWaiting({ graceMs: 5 })
    const answer = adapter.call("wait", {}, contextWith())
    await settle()

    adapter.close()
    const before = subscription.closed
    clock.advance(5)
    await answer
    releases[0]?.()
    await settle()
    const late: unknown[] = []
    adapter.health.subscribe({ next: (health) => late.push(health), complete: () => late.push("complete") })

    expect([before, subscription.closed]).toEqual([false, true])
    expect(late).toMatchObject([{ ...healthy, late: 1, subscriptions: 0 }, "complete"])
    expect(Object.values(adapter.ledger.counts()).every((count) => count === 0)).toBe(true)
  })
})
