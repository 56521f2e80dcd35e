import { of } from "rxjs"
import { describe, expect, it } from "vitest"
import { idleContext } from "../execute-context.js"
import { type AgenticService, type Ask, createAgenticService, type Reply, toAgenticService } from "../index.js"
import { toOutcome } from "./execute-action.js"

const questions = { sure: { message: "Sure?", schema: { type: "object" } } }

/** Creates an action that asks a given number of times while it runs. */
function asking(times: number, ending: (said: unknown) => Reply): Ask {
  return {
    ok: "ask",
    questions,
    resume: async (said) => (times > 1 ? asking(times - 1, ending) : ending(said)),
  }
}

/** Creates another library's service, of our shape, with an action that asks. */
function serviceOf(reply: Reply): AgenticService {
  const go = { description: "Go", schema: undefined, hints: {}, check: () => ({ ok: true, input: undefined }) as const }
  const { execute: _, ...rest } = createAgenticService({ name: "x" })
  return {
    ...rest,
    actions: of({ go: { ...go, execute: async () => reply } }),
    execute: async () => reply,
  }
}

describe("a foreign action that asks while it runs", () => {
  it("passes its question to the caller, and continues with the answer", async () => {
    const service = toAgenticService(serviceOf(asking(1, (said) => ({ ok: true, value: said }))))

    const reply = await service.execute("go", {})

    expect(reply).toMatchObject({ ok: "ask", questions })
    expect(reply.ok === "ask" && (await reply.resume({ sure: {} }, idleContext))).toEqual({
      ok: true,
      value: { sure: {} },
    })
  })
})

describe("toOutcome", () => {
  it("returns an outcome unchanged", async () => {
    const outcome = { ok: true, value: 1 } as const

    expect(await toOutcome("go", outcome, idleContext)).toBe(outcome)
  })

  it("cancels a question, and returns the action's result", async () => {
    const reply = asking(1, (said) => ({ ok: false, message: `it was ${said}` }))

    expect(await toOutcome("go", reply, idleContext)).toEqual({ ok: false, message: "it was cancelled" })
  })

  it("does not ask repeatedly", async () => {
    const reply = asking(2, () => ({ ok: true }))

    expect(await toOutcome("go", reply, idleContext)).toMatchObject({ ok: false, code: "confirmation_unavailable" })
  })
})
