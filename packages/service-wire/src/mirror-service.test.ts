import {
  type Action,
  type AgenticService,
  action,
  createAgenticService,
  type ExecuteContext,
  fail,
  state,
} from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { type MirroredService, mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"

type MirrorOptions = Parameters<typeof mirrorService>[1]

const is = (mirror: MirroredService, wanted: string) =>
  firstValueFrom(mirror.status.pipe(filter(({ state }) => state === wanted)))

async function connect(service: AgenticService, options: MirrorOptions = {}) {
  const pair = createChannelPair()
  const offer = offerService(service, pair.near)
  const mirror = mirrorService(pair.far, options)
  await is(mirror, "live")
  return { ...pair, offer, mirror }
}

const contextOf = (rest: Partial<ExecuteContext> = {}): ExecuteContext => ({
  signal: new AbortController().signal,
  progress: () => {},
  answers: {},
  ...rest,
})

describe("mirrorService", () => {
  it("passes on failures, progress and the caller", async () => {
    const seen: unknown[] = []
    const work = action({
      description: "Work",
      execute: (_input, { progress, principal }) => {
        progress({ progress: 1, text: "a" })
        progress({ progress: 2, text: "b" })
        seen.push(principal)
        return fail("no luck", { code: "unlucky", recovery: "try again" })
      },
    })
    const { mirror } = await connect(createAgenticService({ name: "x", actions: { work } }))
    const texts: (string | undefined)[] = []

    const progress = ({ text }: { readonly text?: string }) => texts.push(text)
    const outcome = await mirror.execute("work", {}, contextOf({ progress, principal: { id: "ann" } }))

    expect(outcome).toEqual({ ok: false, message: "no luck", code: "unlucky", recovery: "try again" })
    expect(seen).toEqual([{ id: "ann" }])
    expect(texts[0]).toBe("a")
  })

  it("has actions as long as those of the offered service", async () => {
    const of = (long?: Action["long"]) =>
      action({ description: "Work", ...(long && { long }), execute: () => undefined })
    const actions = { quick: of(), long: of(true), lasting: of({ ttlMs: 5_000 }), task: of({ tasksOnly: true }) }
    const { mirror } = await connect(createAgenticService({ name: "x", actions }))

    const { quick, long, lasting, task } = await firstValueFrom(mirror.actions)

    expect([quick, long, lasting, task].map((action) => action?.long)).toEqual([
      undefined,
      true,
      { ttlMs: 5_000 },
      { tasksOnly: true },
    ])
  })

  it("aborts the action when its caller gives up", async () => {
    const wait = action({
      description: "Wait",
      execute: (_input, { signal }) =>
        new Promise<void>((_resolve, reject) => {
          signal.onabort = () => {
            throw new Error("nobody hears of it")
          }
          signal.addEventListener("abort", () => reject(new Error("stopped")))
        }),
    })
    const { mirror } = await connect(createAgenticService({ name: "x", actions: { wait } }))
    const controller = new AbortController()

    const call = mirror.execute("wait", {}, contextOf({ signal: controller.signal }))
    controller.abort()

    expect(await call).toMatchObject({ ok: false, code: "aborted" })
  })

  it("gets the questions of an action before it runs, and sends the answers with the call", async () => {
    const pay = action({
      description: "Pay",
      input: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      output: { type: "string" },
      confirm: ({ sum }) => `Pay ${sum}?`,
      ask: () => ({ pin: { message: "Your PIN", schema: { type: "object" } } }),
      execute: (_input, { answers }) => JSON.stringify(answers),
    })
    const { mirror } = await connect(createAgenticService({ name: "x", actions: { pay } }))
    const { pay: mirrored } = await firstValueFrom(mirror.actions)

    const checked = await mirrored?.check({ sum: 3 })
    const input = checked?.ok ? checked.input : undefined
    const refused = await mirrored?.execute(input, contextOf())
    const outcome = await mirrored?.execute(input, contextOf({ confirmed: true, answers: { pin: { code: 1 } } }))

    expect(mirrored?.confirm?.(input)).toBe("Pay 3?")
    expect(mirrored?.ask?.(input)).toMatchObject({ pin: { message: "Your PIN" } })
    expect(refused).toMatchObject({ ok: false, code: "confirmation_unavailable" })
    expect(outcome).toMatchObject({ ok: true, value: '{"pin":{"code":1}}' })
  })

  it("receives the changes of a call before its result, even if diffs are not acknowledged for a while", async () => {
    const count = new BehaviorSubject(0)
    const service = createAgenticService({
      name: "x",
      states: { count: state({ schema: { type: "integer" }, value: count }) },
      actions: { add: action({ description: "Add", execute: () => count.next(count.value + 1) }) },
    })
    const { mirror } = await connect(service, { paceMs: 60_000 })

    for (let times = 0; times < 5; times += 1) await mirror.execute("add", {})

    expect((await firstValueFrom(mirror.states))["count"]?.value).toBe(5)
  })

  it("sends a slow reader one value, whatever changed meanwhile", async () => {
    const count = new BehaviorSubject(0)
    const service = createAgenticService({
      name: "x",
      states: { count: state({ schema: { type: "integer" }, value: count }) },
    })
    const { mirror, sent, hold, release } = await connect(service)
    const before = sent.length
    hold("far")

    for (let times = 0; times < 1_000; times += 1) {
      count.next(times)
      if (times % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    const diffs = sent.slice(before).filter(({ from, frame }) => from === "near" && frame.includes('"diff"'))
    release("far")
    while ((await firstValueFrom(mirror.states))["count"]?.value !== 999)
      await new Promise((done) => setImmediate(done))

    expect(diffs).toHaveLength(1)
  })

  it("settles a call at once when its channel breaks, and says that its effect is unknown", async () => {
    const wait = action({ description: "Wait", execute: () => new Promise<void>(() => {}) })
    const { mirror, cut } = await connect(createAgenticService({ name: "x", actions: { wait } }))

    const call = mirror.execute("wait", {})
    await new Promise((resolve) => setImmediate(resolve))
    cut("the cable was pulled")

    expect(await call).toMatchObject({ ok: false, code: "connection_lost" })
    expect(await firstValueFrom(mirror.actions)).toEqual({})
    expect(mirror.declared.actions["wait"]?.unavailable()).toBe("the cable was pulled")
  })

  it("keeps unchanged members over a loss, and notifies nobody", async () => {
    const service = createAgenticService({
      name: "x",
      states: { s: state({ schema: {}, value: { a: [1] } }) },
      actions: { go: action({ description: "Go", execute: () => {} }) },
    })
    const { mirror, cut } = await connect(service, { graceMs: 60_000 })
    const maps: unknown[] = []
    const subscriptions = [
      mirror.actions.subscribe((map) => maps.push(map)),
      mirror.states.subscribe((map) => maps.push(map)),
    ]
    cut()
    await is(mirror, "waiting")

    const call = mirror.execute("go", {})
    const pair = createChannelPair()
    offerService(service, pair.near)
    mirror.resume(pair.far)

    expect(await call).toEqual({ ok: true })
    expect(maps).toHaveLength(2)
    for (const subscription of subscriptions) subscription.unsubscribe()
    mirror.close()
  })

  it("does not run a call that arrives after its caller was told that it is lost", async () => {
    let ran = 0
    const go = action({
      description: "Go",
      execute: () => {
        ran += 1
      },
    })
    const { mirror, sent, hold, release, offer } = await connect(createAgenticService({ name: "x", actions: { go } }), {
      beatMs: 20,
    })
    hold("far")

    const outcome = await mirror.execute("go", {})
    release("far")
    await offer.closed

    expect(outcome).toMatchObject({ ok: false, code: "connection_lost" })
    expect(sent.some(({ frame }) => frame.includes('"t":"call"'))).toBe(true)
    expect(ran).toBe(0)
  })
})

describe("two sides that cannot talk to each other", () => {
  it.each<[string, string, string]>([
    ["another version", '{"t":"hello","wire":2,"role":"offer"}', "version"],
    ["two mirrors", '{"t":"hello","wire":1,"role":"mirror"}', "malformed"],
    ["no hello", '{"t":"diff","n":1,"s":[]}', "malformed"],
    ["no frame", "hello", "malformed"],
  ])("part, and say why: %s", async (_, frame, code) => {
    const { near, far, sent } = createChannelPair()
    const mirror = mirrorService(far)

    near.send(frame)
    const { end } = (await is(mirror, "unavailable")) as { readonly end: { readonly code: string } } // that state has it

    expect(end.code).toBe(code)
    expect(sent.at(-1)?.frame).toContain(`"code":"${code}"`)
  })
})
