import { type AgenticService, action, createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { gateOf, introOf, writeWords } from "./identity.js"
import { mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"

const endOfTask = () => new Promise((resolve) => setImmediate(resolve))

/** Creates a document that notes what ran. */
function createDocument(ran: string[], id?: string): AgenticService {
  return createAgenticService({
    name: "doc",
    ...(id !== undefined && { id }),
    actions: {
      delete: action({ description: "Delete", confirm: () => "Delete alpha?", execute: () => void ran.push("delete") }),
      touch: action({ description: "Touch", execute: () => void ran.push("touch") }),
      peek: action({ description: "Peek", readOnly: true, execute: () => void ran.push("peek") }),
    },
  })
}

/** Starts an offer that answers frames written by the test. */
async function startOffer(things: boolean) {
  const ran: string[] = []
  const service = createDocument(ran)
  return { ...(await startOfferOf(service, things)), ran, thing: String(introOf(service, true).thing) }
}

async function startOfferOf(service: AgenticService, things: boolean) {
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
  return { ask, told }
}

/** Starts an offer whose linked documents, number 1 and up, are replaced before the other side hears of it. */
async function startReplaced(before: string | undefined, after: readonly (string | undefined)[]) {
  const ran: string[] = []
  const first = createDocument([], before)
  const links = after.map(() => new BehaviorSubject<AgenticService | null>(null))
  links[0]?.next(first)
  const root = createAgenticService({
    name: "desk",
    actions: { look: action({ description: "Look", execute() {} }) },
    links: Object.fromEntries(links.map((service, index) => [`at${index}`, link({ service })])),
  })
  const { ask } = await startOfferOf(root, true)
  for (const [index, id] of after.entries()) links[index]?.next(createDocument(ran, id))
  // A result comes after all changes.
  await ask({ t: "call", k: "look" })
  return { ask, ran, of: String(introOf(first, true).thing) }
}

const deleteGate = gateOf({ description: "Delete", hints: { destructive: false } })

describe("the introductions of an offering side", () => {
  it("carry the identity of each service for a side that compares identities", async () => {
    const { told, thing } = await startOffer(true)

    expect(told[0]).toMatchObject({ t: "hello", things: true })
    expect(told[1]).toMatchObject({ t: "diff", s: [{ id: 0, intro: { name: "doc", thing } }] })
  })

  it("carry no identity for an older side", async () => {
    const { told } = await startOffer(false)

    expect(told[1].s[0].intro).toEqual({ name: "doc" })
  })
})

describe("a call", () => {
  it("runs if the identity is the one it names", async () => {
    const { ask, ran, thing } = await startOffer(true)

    expect(await ask({ t: "call", k: "touch", of: thing })).toEqual({ ok: true })
    expect(ran).toEqual(["touch"])
  })

  it("runs without an identity, as an older side sends it", async () => {
    const { ask, ran } = await startOffer(false)

    expect(await ask({ t: "call", k: "touch" })).toEqual({ ok: true })
    expect(ran).toEqual(["touch"])
  })

  it.each([["other"], [""], [0], [null], [{}], [[]], ["x".repeat(100_000)]])(
    "does not run if it names another identity, such as %j",
    async (of) => {
      const { ask, ran } = await startOffer(true)

      for (const k of ["touch", "peek"]) expect(await ask({ t: "call", k, of })).toMatchObject({ code: "changed" })
      expect(await ask({ t: "check", k: "delete", of })).toEqual({ ok: "changed" })
      expect(ran).toEqual([])
    },
  )

  it("runs if the person was asked the current questions", async () => {
    const { ask, ran, thing } = await startOffer(true)
    const w = writeWords({ confirm: "Delete alpha?", ask: undefined })

    const r = await ask({ t: "call", k: "delete", of: thing, g: deleteGate, w, c: { confirmed: true } })

    expect(r).toEqual({ ok: true })
    expect(ran).toEqual(["delete"])
  })

  it.each([[writeWords({ confirm: "Delete beta?", ask: undefined })], [""], [7], [null], [{}], ["x".repeat(100_000)]])(
    "does not run if the person was asked other questions, such as %j",
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

describe("a request that is on its way when its service is replaced", () => {
  it("reaches the service that its author says is the same", async () => {
    const { ask, ran, of } = await startReplaced("mine", ["mine"])

    expect(await ask({ t: "call", s: 1, k: "touch", of })).toEqual({ ok: true })
    expect(await ask({ t: "check", s: 1, k: "delete", of })).toEqual({ ok: true, confirm: "Delete alpha?" })
    expect(ran).toEqual(["touch"])
  })

  it.each([
    ["another of its author's", "mine", ["other"]],
    ["one that its author does not name", undefined, [undefined]],
    ["two that its author says are the same", "mine", ["mine", "mine"]],
  ])("reaches nobody if %s came", async (_case, before, after) => {
    const { ask, ran, of } = await startReplaced(before, after)

    expect(await ask({ t: "call", s: 1, k: "touch", of })).toMatchObject({ ok: false, code: "not_available" })
    expect(await ask({ t: "check", s: 1, k: "delete", of })).toEqual({ ok: "gone" })
    expect(ran).toEqual([])
  })

  it("reaches nobody if it names no identity, as an older side sends it", async () => {
    const { ask, ran } = await startReplaced("mine", ["mine"])

    expect(await ask({ t: "call", s: 1, k: "touch" })).toMatchObject({ ok: false, code: "not_available" })
    expect(ran).toEqual([])
  })
})

describe("gateOf", () => {
  it("is equal on both sides for equal definitions", () => {
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
  it("are the same on both sides of a wire, whatever they contain", async () => {
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

  it("differ if a question differs", () => {
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
