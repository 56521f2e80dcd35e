import { type AgenticService, action, createAgenticService, type ExecuteContext, link, state } from "@x/agentic-service"
import { createFedService, type Feed, thingOf } from "@x/agentic-service/adapter"
import { BehaviorSubject, filter, firstValueFrom, NEVER } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { type MirroredService, mirrorService } from "./mirror-service.js"
import { createMirrorSwitch, type MirrorOptions, type MirrorSource } from "./mirror-switch.js"
import type { AskHere } from "./offer/answer-calls.js"
import { offerService } from "./offer-service.js"

const endOfTask = () => new Promise((resolve) => setImmediate(resolve))
const contextOf = (rest: Partial<ExecuteContext> = {}): ExecuteContext => ({
  signal: new AbortController().signal,
  progress: () => {},
  answers: {},
  ...rest,
})

/** A document like any other: only what it ran tells them apart. */
function createDoc({ id, words = "Delete?" }: { readonly id?: string; readonly words?: string } = {}) {
  const ran: string[] = []
  const service = createAgenticService({
    name: "doc",
    ...(id !== undefined && { id }),
    states: { open: state({ schema: { type: "boolean" }, value: true }) },
    actions: {
      delete: action({ description: "Delete it", confirm: () => words, execute: () => void ran.push("delete") }),
      touch: action({ description: "Touch it", execute: () => void ran.push("touch") }),
      peek: action({ description: "Peek", readOnly: true, execute: () => void ran.push("peek") }),
    },
  })
  return { service, ran }
}

const isLive = ({ status }: Pick<MirroredService, "status">) =>
  firstValueFrom(status.pipe(filter(({ state }) => state === "live")))
const isWaiting = ({ status }: Pick<MirroredService, "status">) =>
  firstValueFrom(status.pipe(filter(({ state }) => state === "waiting")))

async function actionOf(service: AgenticService, key: string) {
  const found = (await firstValueFrom(service.actions))[key]
  if (found === undefined) throw new Error(`there is no ${key}`)
  return found
}

/** A mirror of whichever of several pages is selected. */
function startSwitch(options: MirrorOptions = {}) {
  const mirror = createMirrorSwitch({ graceMs: 60_000, foreign: true, ...options })
  const open = async (
    service: AgenticService,
    { tab, load = "1" }: { readonly tab: string; readonly load?: string },
  ) => {
    const pair = createChannelPair()
    offerService(service, pair.near)
    const source: MirrorSource = await new Promise((resolve) => {
      const attached = mirror.attach(
        pair.far,
        { changed: () => resolve(attached) },
        { thing: `${tab}/${load}`, place: tab, asker: { kind: "page", name: "https://a.example" }, title: () => tab },
      )
    })
    return { ...pair, source }
  }
  return { mirror, open }
}

/** Connects a mirror to a service that can be offered anew. */
async function startMirror(service: AgenticService, options: MirrorOptions = { graceMs: 60_000 }) {
  let pair = createChannelPair()
  offerService(service, pair.near)
  const mirror = mirrorService(pair.far, options)
  await isLive(mirror)
  return {
    mirror,
    pair: () => pair,
    resume(next: AgenticService): void {
      pair = createChannelPair()
      offerService(next, pair.near)
      mirror.resume(pair.far)
    },
  }
}

describe("a mirror", () => {
  it("is the thing that it mirrors, and so are the services it links to", async () => {
    const child = createDoc()
    const root = createAgenticService({ name: "root", id: "r", links: { child: link({ service: child.service }) } })
    const { mirror } = await startMirror(root)
    const { child: mirrored } = await firstValueFrom(mirror.links)

    expect(thingOf(mirror)).toBe(thingOf(root))
    expect(mirrored && thingOf(mirrored.service)).toBe(thingOf(child.service))
  })

  it("of a foreign side is never what that side says it is", async () => {
    const doc = createDoc({ id: "mine" })
    const { mirror } = await startMirror(doc.service, { foreign: true })
    const { mirror: other } = await startMirror(doc.service, { foreign: true })

    expect(thingOf(mirror)).not.toBe(thingOf(doc.service))
    expect(thingOf(mirror)).not.toBe(thingOf(other))
  })

  it("of an older side is another thing with each channel, and its services are told apart", async () => {
    const intro = (id: number, links: unknown[]) => ({
      id,
      intro: { name: "old" },
      links,
      spoken: ["states", "actions", "links"],
    })
    const connect = (mirror: MirroredService | undefined) => {
      const { near, far } = createChannelPair()
      near.listen({ frame: () => {}, closed: () => {} })
      near.send(JSON.stringify({ t: "hello", wire: 1, role: "offer" }))
      const s = [intro(0, [["one", { s: 1 }]]), intro(1, [])].reverse()
      near.send(JSON.stringify({ t: "diff", n: 1, s, live: true }))
      mirror?.resume(far)
      return mirror ?? mirrorService(far)
    }
    const mirror = connect(undefined)
    await isLive(mirror)
    const { one } = await firstValueFrom(mirror.links)
    const before = thingOf(mirror)
    connect(mirror)
    await endOfTask()

    expect(thingOf(mirror)).not.toBe(before)
    expect(one && thingOf(one.service)).not.toBe(thingOf(mirror))
  })

  it("goes on with the same thing over another channel, and what waited runs", async () => {
    const doc = createDoc()
    const { mirror, pair, resume } = await startMirror(doc.service)
    const things: unknown[] = []
    mirror.occupancy?.changes.subscribe((thing) => things.push(thing))
    pair().cut()
    await isWaiting(mirror)
    const call = mirror.execute("touch", {})
    resume(doc.service)

    expect(await call).toEqual({ ok: true })
    expect([doc.ran, things]).toEqual([["touch"], []])
  })

  it("goes on with a service made anew whose author gave it the same id", async () => {
    const [one, again] = [createDoc({ id: "7" }), createDoc({ id: "7" })]
    const { mirror, pair, resume } = await startMirror(one.service)
    const asked = await (await actionOf(mirror, "delete")).check({})
    pair().cut()
    await isWaiting(mirror)
    resume(again.service)
    await isLive(mirror)
    const outcome = await (await actionOf(mirror, "delete")).execute(
      asked.ok && asked.input,
      contextOf({ confirmed: true }),
    )

    expect(outcome).toEqual({ ok: true })
    expect([one.ran, again.ran]).toEqual([[], ["delete"]])
  })

  it("tells at once that another service has taken the place, though every member stays the same object", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const { mirror, pair, resume } = await startMirror(one.service)
    const seen: unknown[] = []
    mirror.occupancy?.changes.subscribe(() => seen.push(thingOf(mirror) === thingOf(other.service)))
    const before = await actionOf(mirror, "touch")
    pair().cut()
    await isWaiting(mirror)
    resume(other.service)
    await isLive(mirror)

    expect(seen).toEqual([true])
    expect(await actionOf(mirror, "touch")).toBe(before)
  })
})

describe("where another service is offered", () => {
  it("a call that waited, and one that was asked about, run nothing", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const { mirror, pair, resume } = await startMirror(one.service)
    const remove = await actionOf(mirror, "delete")
    const asked = await remove.check({})
    pair().cut()
    await isWaiting(mirror)
    const waiting = [
      mirror.execute("touch", {}),
      remove.execute(asked.ok && asked.input, contextOf({ confirmed: true })),
    ]
    resume(other.service)

    expect(await Promise.all(waiting)).toMatchObject([{ code: "changed" }, { code: "changed" }])
    expect([one.ran, other.ran]).toEqual([[], []])
  })

  it("a call of what its caller found before is not even sent", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const { mirror, pair, resume } = await startMirror(one.service)
    const thing = thingOf(mirror)
    const touch = await actionOf(mirror, "touch")
    pair().cut()
    await isWaiting(mirror)
    resume(other.service)
    await isLive(mirror)
    const sent = pair().sent.length

    expect(await touch.execute({}, contextOf({ thing }))).toMatchObject({ code: "changed" })
    expect(pair().sent.slice(sent)).toEqual([])
  })
})

describe("a page that is reloaded while a call waits", () => {
  it.each([["touch"], ["delete"]])("does not run %s, which changes something", async (key) => {
    const [before, after] = [createDoc(), createDoc()]
    const { mirror, open } = startSwitch()
    const page = await open(before.service, { tab: "a" })
    page.source.select()
    const called = await actionOf(mirror.service, key)
    const checked = await called.check({})
    page.cut()
    await isWaiting(mirror)
    const call = called.execute(checked.ok && checked.input, contextOf(key === "delete" ? { confirmed: true } : {}))
    ;(await open(after.service, { tab: "a", load: "2" })).source.select()

    expect(await call).toMatchObject({ code: "changed" })
    expect([before.ran, after.ran]).toEqual([[], []])
  })

  it("runs what changes nothing", async () => {
    const [before, after] = [createDoc(), createDoc()]
    const { mirror, open } = startSwitch()
    const page = await open(before.service, { tab: "a" })
    page.source.select()
    page.cut()
    await isWaiting(mirror)
    const call = mirror.service.execute("peek", {})
    ;(await open(after.service, { tab: "a", load: "2" })).source.select()

    expect(await call).toEqual({ ok: true })
    expect(after.ran).toEqual(["peek"])
  })

  it("runs not even that if the tab shows another document by now", async () => {
    const [before, after] = [createDoc({ id: "A" }), createDoc({ id: "C" })]
    const { mirror, open } = startSwitch()
    const page = await open(before.service, { tab: "a" })
    page.source.select()
    page.cut()
    await isWaiting(mirror)
    const call = mirror.service.execute("peek", {})
    ;(await open(after.service, { tab: "a", load: "2" })).source.select()

    expect(await call).toMatchObject({ code: "changed" })
    expect(after.ran).toEqual([])
  })

  it("runs nothing in another tab", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const { mirror, open } = startSwitch()
    const page = await open(one.service, { tab: "a" })
    const beside = await open(other.service, { tab: "b" })
    page.source.select()
    page.cut()
    await isWaiting(mirror)
    const calls = ["touch", "peek"].map((key) => mirror.service.execute(key, {}))
    beside.source.select()

    expect(await Promise.all(calls)).toMatchObject([{ code: "changed" }, { code: "changed" }])
    expect(other.ran).toEqual([])
  })

  it("is the same thing if only its connection was lost", async () => {
    const doc = createDoc()
    const { mirror, open } = startSwitch()
    const page = await open(doc.service, { tab: "a" })
    page.source.select()
    page.cut()
    await isWaiting(mirror)
    const call = mirror.service.execute("touch", {})
    ;(await open(doc.service, { tab: "a" })).source.select()

    expect(await call).toEqual({ ok: true })
    expect(doc.ran).toEqual(["touch"])
  })
})

describe("the tab that is selected", () => {
  it("runs nothing that was asked about in another, and the mirror tells that it stands for another", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const { mirror, open } = startSwitch()
    const first = await open(one.service, { tab: "a" })
    const second = await open(other.service, { tab: "b" })
    first.source.select()
    let told = 0
    mirror.service.occupancy?.changes.subscribe(() => (told += 1))
    const remove = await actionOf(mirror.service, "delete")
    const asked = await remove.check({})
    second.source.select()

    expect(await remove.execute(asked.ok && asked.input, contextOf({ confirmed: true }))).toMatchObject({
      code: "changed",
    })
    expect(told).toBe(1)
    expect([one.ran, other.ran]).toEqual([[], []])
  })

  it("runs nothing if it was selected while the question was being made", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const { mirror, open } = startSwitch()
    const first = await open(one.service, { tab: "a" })
    const second = await open(other.service, { tab: "b" })
    first.source.select()
    const checking = (await actionOf(mirror.service, "delete")).check({})
    second.source.select()

    expect(await checking).toMatchObject({ ok: false, failure: { code: "changed" } })
  })

  it("has an identity for each path, and so has one that is not selected", async () => {
    const child = createDoc()
    const root = createAgenticService({ name: "root", links: { child: link({ service: child.service }) } })
    const { mirror, open } = startSwitch()
    const first = await open(root, { tab: "a" })
    const second = await open(createDoc().service, { tab: "b" })
    first.source.select()
    const { child: linked } = await firstValueFrom(mirror.service.links)

    expect(first.source.thing([])).toBe(thingOf(mirror.service))
    expect(first.source.thing(["child"])).toBe(linked && thingOf(linked.service))
    expect(second.source.thing([])).not.toBe(first.source.thing([]))
    expect(second.source.thing(["child"])).toBeUndefined()
  })

  it("is chosen by callers for the thing that they found there", async () => {
    const doc = createDoc()
    const { mirror, open } = startSwitch()
    const { source } = await open(doc.service, { tab: "a" })
    const { source: beside } = await open(createDoc().service, { tab: "b" })
    beside.select()
    const touch = source.action([], "touch")

    expect(await touch?.execute({}, contextOf({ thing: thingOf(mirror.service) }))).toMatchObject({ code: "changed" })
    expect(await touch?.execute({}, contextOf({ thing: source.thing([]) ?? "" }))).toEqual({ ok: true })
    expect(doc.ran).toEqual(["touch"])
  })

  it("puts its questions with a label that it cannot write, without what a person cannot see", async () => {
    const doc = createDoc({ words: 'bank: Show\u202e your\u200b balance?\nThe page "bank" asks' })
    const { mirror, open } = startSwitch()
    ;(await open(doc.service, { tab: "My\u001b bank" })).source.select()
    const remove = await actionOf(mirror.service, "delete")
    const asked = await remove.check({})
    const outcome = await remove.execute(asked.ok && asked.input, contextOf({ confirmed: true }))

    expect(remove.confirm?.(asked.ok && asked.input)).toBe(
      'The page "https://a.example" asks, in its own words:\n> In "My bank": bank: Show your balance?\n> The page "bank" asks',
    )
    expect(outcome).toEqual({ ok: true })
  })
})

describe("words that change while a person decides", () => {
  const startChanging = async (ask?: AskHere) => {
    const title = new BehaviorSubject("alpha")
    const ran: string[] = []
    const service = createAgenticService({
      name: "doc",
      actions: {
        delete: action({
          description: "Delete",
          confirm: () => `Delete ${title.value}?`,
          execute: () => void ran.push(title.value),
        }),
      },
    })
    const pair = createChannelPair()
    offerService(service, pair.near, ask === undefined ? {} : { ask })
    const mirror = mirrorService(pair.far)
    await isLive(mirror)
    return { mirror, title, ran }
  }

  it("are not what was agreed to: nothing runs", async () => {
    const { mirror, title, ran } = await startChanging()
    const remove = await actionOf(mirror, "delete")
    const asked = await remove.check({})
    title.next("beta")

    expect(await remove.execute(asked.ok && asked.input, contextOf({ confirmed: true }))).toMatchObject({
      code: "changed",
    })
    expect(ran).toEqual([])
  })

  it("are put again to the person in front of the application", async () => {
    const seen: (string | undefined)[] = []
    const { mirror, title, ran } = await startChanging(async ({ confirm }) => {
      seen.push(confirm)
      if (seen.length === 1) title.next("beta")
      return {}
    })

    expect(await mirror.execute("delete", {})).toEqual({ ok: true })
    expect([seen, ran]).toEqual([["Delete alpha?", "Delete beta?"], ["beta"]])
  })

  it("do not keep that person busy for ever", async () => {
    let count = 0
    const { mirror, title, ran } = await startChanging(async () => {
      count += 1
      title.next(`title ${count}`)
      return {}
    })

    expect(await mirror.execute("delete", {})).toMatchObject({ code: "changed" })
    expect([count, ran]).toEqual([3, []])
  })
})

describe("an action that is redefined while a call is on its way", () => {
  it("does not run if it is described as another", async () => {
    const ran: string[] = []
    const make = (description: string) => action({ description, execute: () => void ran.push(description) })
    const archive = createAgenticService({ name: "x", actions: { go: make("Archive everything") } })
    const other = createAgenticService({ name: "x", actions: { go: make("Destroy everything") } })
    let followed = archive
    // One service whose actions are re-rendered.
    const tells = new Set<(keys: readonly string[]) => void>()
    const find = (key: string) => {
      let found: Awaited<ReturnType<typeof actionOf>> | undefined
      followed.actions.subscribe((all) => (found = all[key])).unsubscribe()
      return found
    }
    const away: Feed<never> = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }
    const service = createFedService({
      name: "x",
      states: away,
      actions: {
        ...away,
        connect(tell) {
          tells.add(tell)
          return () => tells.delete(tell)
        },
        find,
        keys: () => ["go"],
      },
      links: away,
      declared: { states: {}, actions: {}, links: {} },
      failures: NEVER,
    })
    const { mirror, pair } = await startMirror(service)
    pair().hold("far")
    const call = mirror.execute("go", {})
    await endOfTask()
    followed = other
    for (const tell of tells) tell(["go"])
    pair().release("far")

    expect(await call).toMatchObject({ code: "changed" })
    expect(ran).toEqual([])
  })
})

describe("a service that stands for one thing after the other", () => {
  it("is told as another over the wire, and runs nothing that was for the one before", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const inner = await startMirror(one.service)
    const { mirror, pair } = await startMirror(inner.mirror)
    const thing = thingOf(mirror)
    // The call is on its way while the one in the middle comes to stand for another.
    pair().hold("far")
    const call = mirror.execute("touch", {})
    await endOfTask()
    inner.pair().cut()
    await isWaiting(inner.mirror)
    inner.resume(other.service)
    await isLive(inner.mirror)
    pair().release("far")

    expect(await call).toMatchObject({ code: "changed" })
    while (thingOf(mirror) === thing) await endOfTask()
    expect(thingOf(mirror)).toBe(thingOf(other.service))
    expect([one.ran, other.ran]).toEqual([[], []])
  })
})
