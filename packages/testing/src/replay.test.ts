import { action, createAgenticService, fail, state } from "@x/agentic-service"
import { record } from "@x/live-view"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createTestClient } from "./create-test-client.js"
import { replay } from "./replay.js"

/** Creates a switch that takes its time, so that two calls can overlap. */
function createSwitch({ fair = true } = {}) {
  const on$ = new BehaviorSubject(false)
  const turn = async (to: boolean) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (fair && on$.value === to) return fail("somebody else was faster", { code: "conflict" })
    on$.next(to)
    return undefined
  }
  const service = createAgenticService({
    name: "switch",
    states: { on: state({ schema: { type: "boolean" }, value: on$ }) },
    actions: {
      toggle: action({ description: "Turns it on", execute: () => turn(true) }),
      off: action({
        description: "Turns it off",
        when: { is: on$, otherwise: "it is off" },
        execute: () => turn(false),
      }),
      reset: action({ description: "Resets it", confirm: () => "Reset it?", execute: () => on$.next(false) }),
    },
  })
  return { service, on$ }
}

/** Records two clients and one toggle. Both see that it can be turned on, but only one is first. */
async function recordRace() {
  const { service, on$ } = createSwitch()
  const adapter = createMcpAdapter(service)
  const recorder = record(adapter, { show: true })
  await recorder.ready
  const ann = await createTestClient(adapter)
  const bob = await createTestClient(adapter)
  onTestFinished(async () => {
    recorder.close()
    await Promise.all([ann.close(), bob.close()])
    adapter.close()
  })
  const toggled = await Promise.all([ann.call("toggle"), bob.call("toggle")])
  await ann.whenListed("off")
  await bob.call("off")
  await ann.whenGone("off")
  await ann.call("reset", {}, { answers: "accept" })
  return { text: recorder.toText(), toggled, on$ }
}

describe("replay", () => {
  it("replays a race of two clients with the same lists, notices and outcomes", async () => {
    const { text, toggled } = await recordRace()

    const { same, difference, replayed } = await replay(text, createSwitch().service)

    expect(toggled.map(({ outcome }) => outcome.ok)).toEqual([true, false])
    expect(difference).toBeUndefined()
    expect(same).toBe(true)
    expect(replayed.lists).toEqual([
      ["reset", "toggle"],
      ["off", "reset", "toggle"],
      ["reset", "toggle"],
    ])
    expect(replayed.outcomes.slice(0, 2)).toEqual(["toggle ok", "toggle failed conflict"])
    expect(replayed.notices.filter((kind) => kind === "tools")).toHaveLength(2)
  })

  it("reports the first difference if the service has changed", async () => {
    const { text } = await recordRace()

    const { same, difference } = await replay(text, createSwitch({ fair: false }).service, { patienceMs: 300 })

    expect(same).toBe(false)
    expect(difference).toContain('recorded "toggle failed conflict", replayed "toggle ok"')
  })

  it("repeats changes that came from elsewhere", async () => {
    const { service, on$ } = createSwitch()
    const adapter = createMcpAdapter(service)
    onTestFinished(adapter.close)
    const recorder = record(adapter, { show: true })
    await recorder.ready
    on$.next(true)
    await new Promise((resolve) => setImmediate(resolve))
    recorder.close()

    const again = createSwitch()
    const replayed = await replay(recorder.toText(), again.service, { emit: () => again.on$.next(true) })
    const alone = await replay(recorder.toText(), createSwitch().service, { patienceMs: 50 })

    expect(replayed.same).toBe(true)
    expect(alone.difference).toContain("lists, number 2: recorded")
  })

  it("repeats a change that followed a call without being caused by it", async () => {
    const { service, on$ } = createSwitch()
    const adapter = createMcpAdapter(service)
    onTestFinished(adapter.close)
    const recorder = record(adapter, { show: true })
    await recorder.ready
    await adapter.call("off")
    on$.next(true)
    await new Promise((resolve) => setImmediate(resolve))
    recorder.close()

    const again = createSwitch()
    const { same } = await replay(recorder.toText(), again.service, { emit: () => again.on$.next(true) })

    expect(same).toBe(true)
  })

  it("replays the recording of one principal's view in that view", async () => {
    const serve = () => {
      const switches = { ann: createSwitch(), bob: createSwitch() }
      return (principal?: { readonly id: string }) => switches[principal?.id === "ann" ? "ann" : "bob"].service
    }
    const adapter = createMcpAdapter(serve())
    onTestFinished(adapter.close)
    const principal = { id: "ann" }
    const recorder = record(adapter, { show: true, principal })
    await recorder.ready
    await adapter.call("toggle", {}, { principal: { id: "bob" } })
    await adapter.call("toggle", {}, { principal })
    await vi.waitFor(() => expect(recorder.toText()).toContain('"type":"notice"'))
    recorder.close()

    const { same, difference, replayed } = await replay(recorder.toText(), serve())

    expect(difference).toBeUndefined()
    expect(same).toBe(true)
    expect(replayed.outcomes).toEqual(["toggle ok"])
  })

  it("rejects a recording without arguments", async () => {
    const adapter = createMcpAdapter(createSwitch().service)
    const recorder = record(adapter)
    await recorder.ready
    recorder.close()
    adapter.close()

    await expect(replay(recorder.toText(), createSwitch().service)).rejects.toThrow("has no arguments")
  })
})
