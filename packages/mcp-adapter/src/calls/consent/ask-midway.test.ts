import {
  type Action,
  type AgenticService,
  type Ask,
  createAgenticService,
  type Outcome,
  type Principal,
} from "@x/agentic-service"
import { checkJson } from "@x/agentic-service/adapter"
import { of } from "rxjs"
import { describe, expect, it } from "vitest"
import { createManualClock } from "../../runtime/manual-clock.fixture.js"
import type { CallAnswer } from "../active-call.js"
import type { CallContext } from "../call-context.js"
import { contextWith, type ServeOptions, serve } from "../serve.fixture.js"

const modern: Partial<CallContext> = {
  leg: { transport: "http", era: "modern", notices: true },
  clientCapabilities: { elicitation: {} },
}
const ok = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } as const
const yes = { sure: { action: "accept", content: { ok: true } } }

/** Creates another library's service whose action asks while it runs, and records what the action was told. */
function createAsking(options: ServeOptions = {}) {
  const clock = createManualClock()
  const told: unknown[] = []
  const ask: Ask = {
    ok: "ask",
    questions: { sure: { message: "Sure?", schema: ok } },
    resume: async (said) => {
      told.push(said)
      return { ok: true, value: told.length }
    },
  }
  const check: Action["check"] = (input) => ({ ok: true, input })
  const schema = { type: "object" } as const
  const go: Action = { description: "Go", schema, hints: {}, check, execute: async () => ask as unknown as Outcome }
  const service: AgenticService = { ...createAgenticService({ name: "far" }), actions: of({ go, other: go }) }
  const served = serve(service, undefined, { clock, ...options })
  const callGo = (context: Partial<CallContext> = {}, args = {}, name = "go") =>
    served.call(name, args, contextWith({ ...modern, ...context }))
  return { ...served, clock, told, callGo }
}

function stateOf(answer: CallAnswer): string {
  if (answer.kind !== "asked") throw new Error(`expected a question, found ${JSON.stringify(answer)}`)
  return answer.state
}

const codeOf = (answer: CallAnswer) =>
  answer.kind === "settled" && !answer.outcome.ok ? answer.outcome.code : answer.kind

describe("a question that an action asks while it runs", () => {
  it("delivers one answer to the action, even if many copies arrive at once", async () => {
    const { callGo, told } = createAsking({ running: 20 })
    const requestState = stateOf(await callGo())

    const answers = await Promise.all(Array.from({ length: 20 }, () => callGo({ requestState, inputResponses: yes })))
    const late = await callGo({ requestState, inputResponses: yes })

    expect(told).toEqual([{ sure: { ok: true } }])
    expect(new Set([...answers, late].map((answer) => JSON.stringify(answer)))).toHaveLength(1)
  })

  const ann: Principal = { id: "ann" }
  it.each<[string, Parameters<ReturnType<typeof createAsking>["callGo"]>]>([
    ["another principal", [{ principal: ann }]],
    ["other arguments", [{}, { all: true }]],
    ["another action", [{}, {}, "other"]],
  ])("takes no answer from a call of %s", async (_, [context, args, name]) => {
    const { callGo, told } = createAsking()
    const requestState = stateOf(await callGo())

    await callGo({ ...context, requestState, inputResponses: yes }, args, name)

    expect(told).toEqual([])
  })

  it("stays open after an answer that does not match its schema", async () => {
    const { callGo, told } = createAsking()
    const requestState = stateOf(await callGo())

    const again = await callGo({ requestState, inputResponses: { sure: { action: "accept", content: {} } } })
    await callGo({ requestState: stateOf(again), inputResponses: yes })

    expect(told).toEqual([{ sure: { ok: true } }])
  })

  it("is cancelled when no answer comes in time, and rejects a later answer", async () => {
    const { callGo, told, clock } = createAsking({ questions: { expiryMs: 1_000 } })
    const requestState = stateOf(await callGo())

    clock.advance(1_000)
    const late = await callGo({ requestState, inputResponses: yes })

    expect([told, codeOf(late)]).toEqual([["cancelled"], "not_available"])
  })

  it("is cancelled when the server closes, and leaves nothing behind", async () => {
    const { callGo, told, calls, ledger } = createAsking()
    await callGo()

    calls.close(() => {})

    expect([told, ledger.counts().timer]).toEqual([["cancelled"], 0])
  })

  it("is unknown to a process that did not ask", async () => {
    const secret = new Uint8Array(32).fill(7)
    const requestState = stateOf(await createAsking({ questions: { secret } }).callGo())
    const { callGo, told } = createAsking({ questions: { secret } })

    expect(codeOf(await callGo({ requestState, inputResponses: yes }))).toBe("not_available")
    expect(told).toEqual([])
  })

  it("stays open when the answer got no turn", async () => {
    const { callGo, told } = createAsking({ running: 1, waiting: 0 })
    // Loads the answer checker, which would otherwise delay only the first answer.
    await checkJson(true, "")
    const requestState = stateOf(await callGo())
    const answer = () => callGo({ requestState, inputResponses: yes })

    // The first call takes the only turn. It asks, which ends the turn.
    const [, busy] = await Promise.all([callGo(), answer()])
    const answered = await answer()

    expect([codeOf(busy), codeOf(answered), told]).toEqual(["busy", "settled", [{ sure: { ok: true } }]])
  })

  it("is cancelled when too many wait for the same client, but not for another client", async () => {
    const { callGo, told } = createAsking()
    for (let count = 0; count < 32; count += 1) await callGo()

    const [mine, other] = [await callGo(), await callGo({ client: "other" })]

    expect([mine.kind, other.kind, told]).toEqual(["settled", "asked", ["cancelled"]])
  })
})
