import { BehaviorSubject, NEVER } from "rxjs"
import { describe, expect, it } from "vitest"
import { createFedService } from "../assemble-service.js"
import type { ExecuteContext } from "../execute-context.js"
import type { Feed } from "../maps/live-map.js"
import type { Action } from "../service.js"
import { executeAction } from "./execute-action.js"

const empty: Feed<never> = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }

/** Creates a service whose instance is replaced; its only action runs `checking` to check its input. */
function createStandIn(checking: () => Promise<void> = async () => {}) {
  const thing = new BehaviorSubject("a")
  const ran: (string | undefined)[] = []
  const go: Action = {
    description: "Go",
    schema: undefined,
    hints: {},
    check: async () => {
      await checking()
      return { ok: true, input: undefined }
    },
    execute: async (_input, context) => {
      ran.push(context.thing)
      return { ok: true }
    },
  }
  const service = createFedService({
    name: "stand-in",
    states: empty,
    actions: { ...empty, find: (key) => (key === "go" ? go : undefined), keys: () => ["go"] },
    links: empty,
    declared: { states: {}, actions: {}, links: {} },
    failures: NEVER,
    occupancy: { current: () => thing.value, changes: thing },
  })
  return { service, thing, ran }
}

const contextOf = (thing: string): ExecuteContext => ({
  signal: new AbortController().signal,
  progress: () => {},
  answers: {},
  thing,
})

describe("execute of a service whose instance is replaced", () => {
  it("passes the caller's instance to the action", async () => {
    const { service, ran } = createStandIn()

    expect(await service.execute("go", undefined)).toEqual({ ok: true })
    expect(ran).toEqual(["a"])
  })

  it("runs nothing if the instance was replaced during the check", async () => {
    const { service, thing, ran } = createStandIn(async () => thing.next("b"))

    expect(await service.execute("go", undefined)).toMatchObject({ ok: false, code: "changed" })
    expect(ran).toEqual([])
  })

  it("runs nothing if the caller found another instance", async () => {
    const { service, ran } = createStandIn()

    expect(await service.execute("go", undefined, contextOf("b"))).toMatchObject({ ok: false, code: "changed" })
    expect(ran).toEqual([])
  })
})

describe("executeAction", () => {
  it("returns its guard's failure for the checked input, without running", async () => {
    const { service, ran } = createStandIn()
    const guarded = { action: "go", input: 1, guard: () => ({ ok: false, message: "not now" }) as const }

    expect(await executeAction(service, guarded)).toEqual({ ok: false, message: "not now" })
    expect(ran).toEqual([])
  })
})
