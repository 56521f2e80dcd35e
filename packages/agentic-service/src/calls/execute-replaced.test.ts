import { BehaviorSubject, NEVER } from "rxjs"
import { describe, expect, it } from "vitest"
import { createFedService } from "../assemble-service.js"
import type { ExecuteContext } from "../execute-context.js"
import type { Feed } from "../maps/live-map.js"
import type { Action } from "../service.js"
import { executeAction } from "./execute-action.js"

const empty: Feed<never> = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }

/** A service that stands for one thing after the other; its only action takes `checking` to check its input. */
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

describe("execute of a service that stands for one thing after the other", () => {
  it("tells the action which thing its caller found", async () => {
    const { service, ran } = createStandIn()

    expect(await service.execute("go", undefined)).toEqual({ ok: true })
    expect(ran).toEqual(["a"])
  })

  it("runs nothing if another thing took the place while the input was checked", async () => {
    const { service, thing, ran } = createStandIn(async () => thing.next("b"))

    expect(await service.execute("go", undefined)).toMatchObject({ ok: false, code: "changed" })
    expect(ran).toEqual([])
  })

  it("runs nothing if the caller found another thing", async () => {
    const { service, ran } = createStandIn()

    expect(await service.execute("go", undefined, contextOf("b"))).toMatchObject({ ok: false, code: "changed" })
    expect(ran).toEqual([])
  })
})

describe("executeAction", () => {
  it("answers what its guard says of the checked input, and runs nothing then", async () => {
    const { service, ran } = createStandIn()
    const guarded = { action: "go", input: 1, guard: () => ({ ok: false, message: "not now" }) as const }

    expect(await executeAction(service, guarded)).toEqual({ ok: false, message: "not now" })
    expect(ran).toEqual([])
  })
})
