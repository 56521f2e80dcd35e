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

/** Creates a document that looks like any other; only its record of calls tells them apart. */
function createDoc({ id, words = "Delete?" }: { readonly id?: string | undefined; readonly words?: string } = {}) {
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

/** Creates a mirror that shows the selected one of several pages. */
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

/** Connects a mirror to a service that can be offered again. */
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
  it("has the identity of the service that it mirrors, and so do linked services", async () => {
    const child = createDoc()
    const root = createAgenticService({ name: "root", id: "r", links: { child: link({ service: child.service }) } })
    const { mirror } = await startMirror(root)
    const { child: mirrored } = await firstValueFrom(mirror.links)

    expect(thingOf(mirror)).toBe(thingOf(root))
    expect(mirrored && thingOf(mirrored.service)).toBe(thingOf(child.service))
  })

  it("of a foreign side never has the identity that the side claims", async () => {
    const doc = createDoc({ id: "mine" })
    const { mirror } = await startMirror(doc.service, { foreign: true })
    const { mirror: other } = await startMirror(doc.service, { foreign: true })

    expect(thingOf(mirror)).not.toBe(thingOf(doc.service))
    expect(thingOf(mirror)).not.toBe(thingOf(other))
  })

  it("of an older side has another identity on each channel, and one per service", async () => {
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

  it("continues with the same service over another channel, and waiting calls run", async () => {
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

  it("continues with a recreated service that has the same id", async () => {
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

  it("announces at once that another service is offered, though every member stays the same object", async () => {
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

describe("a linked service that is made anew", () => {
  const replace = async (before: string | undefined, after: string | undefined) => {
    const [first, second] = [createDoc({ id: before }), createDoc({ id: after })]
    const current = new BehaviorSubject(first.service)
    const { mirror } = await startMirror(
      createAgenticService({ name: "desk", links: { doc: link({ service: current }) } }),
    )
    const { doc } = await firstValueFrom(mirror.links)
    if (doc === undefined) throw new Error("there is no link")
    const touch = await actionOf(doc.service, "touch")
    const replaced = firstValueFrom(mirror.links.pipe(filter((links) => links["doc"]?.service !== doc.service)))
    current.next(second.service)
    await replaced
    await endOfTask()
    return { outcome: await touch.execute({}, contextOf()), ran: [...first.ran, ...second.ran] }
  }

  it("runs a call that had found the former object, if its author gave it the same id", async () => {
    expect(await replace("mine", "mine")).toEqual({ outcome: { ok: true }, ran: ["touch"] })
  })

  it.each([
    ["mine", "other"],
    [undefined, undefined],
  ])("runs no such call otherwise: id %j, then %j", async (before, after) => {
    expect(await replace(before, after)).toMatchObject({ outcome: { ok: false, code: "not_available" }, ran: [] })
  })
})

describe("when another service is offered", () => {
  it("a call that waited and one whose question was answered do not run", async () => {
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

  it("a call for the previous service is not sent", async () => {
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

  it("runs an action that changes nothing", async () => {
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

  it("does not run even that if the tab shows another document", async () => {
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

  it("does not run anything in another tab", async () => {
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

  it("keeps its identity if only its connection was lost", async () => {
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

describe("the selected tab", () => {
  it("does not run a call whose question was asked in another tab, and the mirror announces another identity", async () => {
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

  it("does not run a call if it was selected while the question was created", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const { mirror, open } = startSwitch()
    const first = await open(one.service, { tab: "a" })
    const second = await open(other.service, { tab: "b" })
    first.source.select()
    const checking = (await actionOf(mirror.service, "delete")).check({})
    second.source.select()

    expect(await checking).toMatchObject({ ok: false, failure: { code: "changed" } })
  })

  it("has an identity for each path, and so has an unselected tab", async () => {
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

  it("is addressed by callers through the identity that they found there", async () => {
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

  it("asks its questions with a label that it cannot forge and without invisible characters", async () => {
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

describe("questions that change while a person decides", () => {
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

  it("were not agreed to: nothing runs", async () => {
    const { mirror, title, ran } = await startChanging()
    const remove = await actionOf(mirror, "delete")
    const asked = await remove.check({})
    title.next("beta")

    expect(await remove.execute(asked.ok && asked.input, contextOf({ confirmed: true }))).toMatchObject({
      code: "changed",
    })
    expect(ran).toEqual([])
  })

  it("are asked again of the person in front of the application", async () => {
    const seen: (string | undefined)[] = []
    const { mirror, title, ran } = await startChanging(async ({ confirm }) => {
      seen.push(confirm)
      if (seen.length === 1) title.next("beta")
      return {}
    })

    expect(await mirror.execute("delete", {})).toEqual({ ok: true })
    expect([seen, ran]).toEqual([["Delete alpha?", "Delete beta?"], ["beta"]])
  })

  it("are not asked again without limit", async () => {
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

describe("an action that is redefined while a call is pending", () => {
  it("does not run if its description has changed", async () => {
    const ran: string[] = []
    const make = (description: string) => action({ description, execute: () => void ran.push(description) })
    const archive = createAgenticService({ name: "x", actions: { go: make("Archive everything") } })
    const other = createAgenticService({ name: "x", actions: { go: make("Destroy everything") } })
    let followed = archive
    // One service whose actions are rendered again.
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

describe("a service whose identity changes", () => {
  it("gets the new identity over the wire, and runs no call for the old one", async () => {
    const [one, other] = [createDoc(), createDoc()]
    const inner = await startMirror(one.service)
    const { mirror, pair } = await startMirror(inner.mirror)
    const thing = thingOf(mirror)
    // The call is pending while the mirror in the middle gets another identity.
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
