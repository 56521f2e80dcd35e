import { action, createAgenticService } from "@x/agentic-service"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { gateOf, introOf, writeWords } from "./identity.js"
import { mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"

const endOfTask = () => new Promise((resolve) => setImmediate(resolve))

/** What an offering side answers to frames that a test writes itself. */
async function startOffer(things: boolean) {
  const ran: string[] = []
  const service = createAgenticService({
    name: "doc",
    actions: {
      delete: action({ description: "Delete", confirm: () => "Delete alpha?", execute: () => void ran.push("delete") }),
      touch: action({ description: "Touch", execute: () => void ran.push("touch") }),
      peek: action({ description: "Peek", readOnly: true, execute: () => void ran.push("peek") }),
    },
  })
  const { near, far, sent } = createChannelPair()
  offerService(service, near)
  far.listen({ frame: () => {}, closed: () => {} })
  far.send(JSON.stringify({ t: "hello", wire: 1, role: "mirror", ...(things && { things: true }) }))
  await endOfTask()
  await endOfTask()
  let id = 0
  const ask = async (frame: object): Promise<unknown> => {
    id += 1
    far.send(JSON.stringify({ id, at: 0, ttl: 1e9, s: 0, ...frame }))
    const isResult = (text: string): boolean => text.startsWith(`{"t":"result","id":${id},`)
    while (!sent.some(({ frame: text }) => isResult(text))) await endOfTask()
    const text = sent.find(({ frame: each }) => isResult(each))?.frame ?? ""
    return JSON.parse(text).r
  }
  const told = sent.flatMap(({ from, frame }) => (from === "near" ? [JSON.parse(frame)] : []))
  return { ask, ran, told, thing: String(introOf(service, true).thing) }
}

const deleteGate = gateOf({ description: "Delete", hints: { destructive: false } })

describe("what an offering side tells", () => {
  it("has the thing of each service for a side that compares it", async () => {
    const { told, thing } = await startOffer(true)

    expect(told[0]).toMatchObject({ t: "hello", things: true })
    expect(told[1]).toMatchObject({ t: "diff", s: [{ id: 0, intro: { name: "doc", thing } }] })
  })

  it("has no thing for an older side", async () => {
    const { told } = await startOffer(false)

    expect(told[1].s[0].intro).toEqual({ name: "doc" })
  })
})

describe("a call", () => {
  it("runs on the thing that it is of", async () => {
    const { ask, ran, thing } = await startOffer(true)

    expect(await ask({ t: "call", k: "touch", of: thing })).toEqual({ ok: true })
    expect(ran).toEqual(["touch"])
  })

  it("runs without saying what it is of, as an older side makes it", async () => {
    const { ask, ran } = await startOffer(false)

    expect(await ask({ t: "call", k: "touch" })).toEqual({ ok: true })
    expect(ran).toEqual(["touch"])
  })

  it.each([["other"], [""], [0], [null], [{}], [[]], ["x".repeat(100_000)]])(
    "runs on nothing if it is of another thing, such as %j",
    async (of) => {
      const { ask, ran } = await startOffer(true)

      for (const k of ["touch", "peek"]) expect(await ask({ t: "call", k, of })).toMatchObject({ code: "changed" })
      expect(await ask({ t: "check", k: "delete", of })).toEqual({ ok: "changed" })
      expect(ran).toEqual([])
    },
  )

  it("runs if the person was asked in the words of this moment", async () => {
    const { ask, ran, thing } = await startOffer(true)
    const w = writeWords({ confirm: "Delete alpha?", ask: undefined })

    const r = await ask({ t: "call", k: "delete", of: thing, g: deleteGate, w, c: { confirmed: true } })

    expect(r).toEqual({ ok: true })
    expect(ran).toEqual(["delete"])
  })

  it.each([[writeWords({ confirm: "Delete beta?", ask: undefined })], [""], [7], [null], [{}], ["x".repeat(100_000)]])(
    "does not run if the person was asked in other words, such as %j",
    async (w) => {
      const { ask, ran, thing } = await startOffer(true)

      const r = await ask({ t: "call", k: "delete", of: thing, w, c: { confirmed: true } })

      expect(r).toMatchObject({ code: "changed" })
      expect(ran).toEqual([])
    },
  )

  it.each([[0], ["x"], [null], [{}], [1e300]])(
    "does not run if its caller saw another definition, such as %j",
    async (g) => {
      const { ask, ran, thing } = await startOffer(true)

      expect(await ask({ t: "call", k: "touch", of: thing, g })).toMatchObject({ code: "changed" })
      expect(await ask({ t: "call", k: "peek", of: thing, g })).toEqual({ ok: true })
      expect(ran).toEqual(["peek"])
    },
  )
})

describe("gateOf", () => {
  it("is equal for what is said alike on both sides", () => {
    const definition = { title: "T", description: "D", hints: { readOnly: true, destructive: undefined } }

    expect(gateOf({ ...definition })).toBe(gateOf({ title: "T", description: "D", hints: { readOnly: true } }))
  })

  it.each([
    [{ description: "D", hints: { readOnly: true } }],
    [{ title: "T", description: "E", hints: { readOnly: true } }],
    [{ title: "T", description: "D", hints: {} }],
    [{ title: "T", description: "D", hints: { readOnly: true, destructive: true } }],
  ])("differs for %j", (definition) => {
    expect(gateOf(definition)).not.toBe(gateOf({ title: "T", description: "D", hints: { readOnly: true } }))
  })
})

describe("words", () => {
  it("are the same on both sides of a wire, whatever is in them", async () => {
    let ran = 0
    const b = { message: "B\udc00", schema: { type: "object", properties: { x: { type: "string" } } } } as const
    const odd = action({
      description: "Odd",
      confirm: () => "Sure\u2028\ud800?",
      ask: () => ({ b, a: { message: "A", schema: { type: "object" } } }),
      execute() {
        ran += 1
      },
    })
    const { near, far } = createChannelPair()
    offerService(createAgenticService({ name: "x", actions: { odd } }), near)
    const mirror = mirrorService(far)
    await firstValueFrom(mirror.status.pipe(filter(({ state }) => state === "live")))
    const { odd: mirrored } = await firstValueFrom(mirror.actions)
    const checked = await mirrored?.check({})
    const context = { signal: new AbortController().signal, progress: () => {}, answers: {}, confirmed: true } as const

    expect(await mirrored?.execute(checked?.ok && checked.input, context)).toEqual({ ok: true })
    expect(ran).toBe(1)
  })

  it("differ where a question differs", () => {
    const ask = { a: { message: "A", schema: { type: "object" } } } as const
    const words = [
      { confirm: undefined, ask: undefined },
      { confirm: "", ask: undefined },
      { confirm: "A", ask: undefined },
      { confirm: undefined, ask },
      { confirm: "A", ask },
    ].map(writeWords)

    expect(new Set(words).size).toBe(words.length)
  })
})
