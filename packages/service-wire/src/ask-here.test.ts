import { action, createAgenticService, type ExecuteContext } from "@x/agentic-service"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { mirrorService } from "./mirror-service.js"
import type { AskHere } from "./offer/answer-calls.js"
import { offerService } from "./offer-service.js"

/** Mirrors an action that asks for confirmation and for a PIN. `ask` is the person on the offering side. */
async function connect(ask: AskHere) {
  const ran: unknown[] = []
  const pay = action({
    description: "Pay",
    title: "Pay a sum",
    destructive: true,
    input: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    confirm: ({ sum }) => `Pay ${sum}?`,
    ask: ({ sum }) => ({ pin: { message: `Your PIN for ${sum}`, schema: { type: "object" } } }),
    execute: ({ sum }, { answers }) => void ran.push([sum, answers]),
  })
  const plain = action({ description: "Ask nothing", execute: () => void ran.push("plain") })
  const pair = createChannelPair()
  offerService(createAgenticService({ name: "x", actions: { pay, plain } }), pair.near, { ask })
  const mirror = mirrorService(pair.far)
  await firstValueFrom(mirror.status.pipe(filter(({ state }) => state === "live")))
  const call = (input: unknown, rest: Partial<ExecuteContext> = {}) =>
    mirror.execute("pay", input, {
      signal: new AbortController().signal,
      progress: () => {},
      answers: {},
      ...rest,
    })
  return { ran, mirror, call, ...pair }
}

const yes: AskHere = async () => ({ pin: { code: 1 } })

describe("an offer that asks its questions on its own side", () => {
  it("asks all questions at once, and runs once they are answered", async () => {
    const asked: unknown[] = []
    const { ran, call } = await connect(async ({ signal, ...rest }) => {
      asked.push(rest, signal.aborted)
      return { pin: { code: 1 } }
    })

    const outcome = await call({ sum: 3 })

    expect(outcome).toEqual({ ok: true })
    expect(ran).toEqual([[3, { pin: { code: 1 } }]])
    const questions = { pin: { message: "Your PIN for 3", schema: { type: "object" } } }
    expect(asked).toEqual([
      { action: "pay", title: "Pay a sum", destructive: true, confirm: "Pay 3?", questions },
      false,
    ])
  })

  it("shows the other side an action that asks nothing, so that nobody is asked twice", async () => {
    const { mirror } = await connect(yes)
    const { pay } = await firstValueFrom(mirror.actions)

    expect([pay?.confirm, pay?.ask]).toEqual([undefined, undefined])
  })

  it.each([
    ["declined", "declined", 'declined "'],
    ["cancelled", "undecided", "without an answer"],
  ] as const)("does not run what was %s, and says that it was %s", async (answer, code, words) => {
    const { ran, call } = await connect(async () => answer)

    expect(await call({ sum: 3 })).toMatchObject({ ok: false, code, message: expect.stringContaining(words) })
    expect(ran).toEqual([])
  })

  it.each([true, false, undefined, null, "yes", ""])(
    "runs nothing if the answer is %j, which is not a valid answer",
    async (answer) => {
      // Untyped code may return anything.
      const { ran, call } = await connect(async () => answer as never)

      expect(await call({ sum: 3 })).toMatchObject({ ok: false, code: "action_failed" })
      expect(ran).toEqual([])
    },
  )

  it("asks nobody if the input is invalid or the action asks nothing", async () => {
    let asked = 0
    const { ran, call, mirror } = await connect(async () => {
      asked += 1
      return {}
    })

    expect(await call({ sum: "three" })).toMatchObject({ ok: false, code: "invalid_input" })
    expect(await mirror.execute("plain", undefined)).toEqual({ ok: true })
    expect([asked, ran]).toEqual([0, ["plain"]])
  })

  it("does not accept the caller's answers instead of the person's", async () => {
    const { ran, call } = await connect(async () => "declined")

    const outcome = await call({ sum: 3 }, { confirmed: true, answers: { pin: { code: 9 } } })

    expect(outcome).toMatchObject({ code: "declined" })
    expect(ran).toEqual([])
  })

  it("does not run if asking fails", async () => {
    const { ran, call } = await connect(async () => {
      throw new Error("no dialog here")
    })

    const outcome = await call({ sum: 3 })

    expect(outcome).toMatchObject({ ok: false, code: "action_failed" })
    expect(JSON.stringify(outcome)).not.toContain("no dialog here")
    expect(ran).toEqual([])
  })

  it("aborts the question when the caller gives up, and runs nothing after that", async () => {
    const given = new AbortController()
    let told: (() => void) | undefined
    const over = new Promise<void>((resolve) => {
      told = resolve
    })
    const { ran, call } = await connect(
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            told?.()
            resolve({ pin: { code: 1 } })
          })
          given.abort()
        }),
    )

    const outcome = await call({ sum: 3 }, { signal: given.signal })
    await over

    expect(outcome).toMatchObject({ ok: false, code: "aborted" })
    expect(ran).toEqual([])
  })

  it("aborts the question when the other side is gone", async () => {
    let cut: (() => void) | undefined
    const aborted = new Promise<boolean>((resolve) => {
      void connect(({ signal }) => {
        signal.addEventListener("abort", () => resolve(true))
        cut?.()
        return new Promise(() => {})
      }).then((connected) => {
        cut = connected.cut
        void connected.call({ sum: 3 })
      })
    })

    expect(await aborted).toBe(true)
  })
})
