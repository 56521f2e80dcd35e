import { action, createAgenticService, type ExecuteContext } from "@x/agentic-service"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { mirrorService } from "./mirror-service.js"
import type { AskHere } from "./offer/answer-calls.js"
import { offerService } from "./offer-service.js"

/** An action that has to be confirmed and asks for a PIN, mirrored; `ask` is the person on the side that has it. */
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

describe("an offer whose questions are asked where the person is", () => {
  it("puts all of them in one, and runs once they are answered", async () => {
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
    ["declined", "declined", "did not accept"],
    ["cancelled", "undecided", "nobody decided"],
  ] as const)("does not run what was %s, and says that it was %s", async (answer, code, words) => {
    const { ran, call } = await connect(async () => answer)

    expect(await call({ sum: 3 })).toMatchObject({ ok: false, code, message: expect.stringContaining(words) })
    expect(ran).toEqual([])
  })

  it.each([true, false, undefined, null, "yes", ""])(
    "runs nothing where the answer is %j, which is none",
    async (answer) => {
      // Code without types may answer anything.
      const { ran, call } = await connect(async () => answer as never)

      expect(await call({ sum: 3 })).toMatchObject({ ok: false, code: "action_failed" })
      expect(ran).toEqual([])
    },
  )

  it("asks nobody where the input does not fit, or nothing is to be asked", async () => {
    let asked = 0
    const { ran, call, mirror } = await connect(async () => {
      asked += 1
      return {}
    })

    expect(await call({ sum: "three" })).toMatchObject({ ok: false, code: "invalid_input" })
    expect(await mirror.execute("plain", undefined)).toEqual({ ok: true })
    expect([asked, ran]).toEqual([0, ["plain"]])
  })

  it("does not take the caller's word for the person's", async () => {
    const { ran, call } = await connect(async () => "declined")

    const outcome = await call({ sum: 3 }, { confirmed: true, answers: { pin: { code: 9 } } })

    expect(outcome).toMatchObject({ code: "declined" })
    expect(ran).toEqual([])
  })

  it("does not run where asking itself fails", async () => {
    const { ran, call } = await connect(async () => {
      throw new Error("no dialog here")
    })

    const outcome = await call({ sum: 3 })

    expect(outcome).toMatchObject({ ok: false, code: "action_failed" })
    expect(JSON.stringify(outcome)).not.toContain("no dialog here")
    expect(ran).toEqual([])
  })

  it("tells whoever asks that the caller has given up, and runs nothing after that", async () => {
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

  it("tells whoever asks that the other side is gone", async () => {
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
