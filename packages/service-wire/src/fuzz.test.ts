import { type AgenticService, action, createAgenticService, link, state } from "@x/agentic-service"
import { createFedService, type Feed } from "@x/agentic-service/adapter"
import fc from "fast-check"
import { BehaviorSubject, filter, firstValueFrom, NEVER, type Observable } from "rxjs"
import { describe, expect, it } from "vitest"
import type { Channel, ChannelListener } from "./channel.js"
import { createChannelPair } from "./channel-pair.fixture.js"
import { anyAttack, runsOf } from "./frame-fuzz.fixture.js"
import { mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"

const endOfTask = () => new Promise((resolve) => setImmediate(resolve))
const LIMITS = { frame: 20_000, members: 50, services: 8, held: 40_000, calls: 5 }

/** Creates a service that uses every feature of the wire. */
function createRich() {
  const count = new BehaviorSubject(0)
  const there = new BehaviorSubject(true)
  const held = { running: 0, watched: 0 }
  const child = createAgenticService({
    name: "child",
    states: { s: state({ schema: {}, value: "x" }) },
    actions: { ping: action({ description: "Ping", execute: () => {} }) },
  })
  const away: Feed<never> = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }
  const remote = {
    read: async () => [{ type: "resource" as const, uri: "x:y", text: "z" }],
    watch() {
      held.watched += 1
      return () => {
        held.watched -= 1
      }
    },
  }
  const file = { schema: {}, value: {}, remote }
  const files = createFedService({
    name: "files",
    states: { ...away, find: (key) => (key === "file" ? file : undefined), keys: () => ["file"] },
    actions: away,
    links: away,
    declared: { states: {}, actions: {}, links: {} },
    failures: NEVER,
  })
  const service = createAgenticService({
    name: "rich",
    states: { count: state({ schema: { type: "integer" }, value: count }) },
    actions: {
      add: action({
        description: "Add",
        input: { type: "object", properties: { by: { type: "number" } } },
        execute: ({ by = 1 }) => count.next(count.value + by),
      }),
      sometimes: action({ description: "Sometimes", when: { is: there, otherwise: "no" }, execute: () => {} }),
      sure: action({ description: "Sure", destructive: true, confirm: () => "Sure?", execute: () => {} }),
      wait: action({
        description: "Wait",
        execute: (_input, { signal, progress }) => {
          held.running += 1
          progress({ progress: 1 })
          return new Promise<void>((resolve) => {
            signal.addEventListener("abort", () => {
              held.running -= 1
              resolve()
            })
          })
        },
      }),
    },
    links: { child: link({ service: child }), files: link({ service: files }) },
  })
  return { service, count, there, held }
}

/** Records the frames of a well-behaved session that uses every feature. */
async function record(): Promise<Readonly<Record<"near" | "far", readonly string[]>>> {
  const { service, there } = createRich()
  const pair = createChannelPair()
  offerService(service, pair.near)
  const mirror = mirrorService(pair.far, { limits: LIMITS })
  await firstValueFrom(mirror.status.pipe(filter(({ state }) => state === "live")))
  await mirror.execute("add", { by: 2 })
  const { sure } = await firstValueFrom(mirror.actions)
  const checked = await sure?.check({})
  const confirmed = { signal: new AbortController().signal, progress: () => {}, answers: {}, confirmed: true } as const
  if (checked?.ok) await sure?.execute(checked.input, confirmed)
  there.next(false)
  await endOfTask()
  const { files } = await firstValueFrom(mirror.links)
  const states = files && (await firstValueFrom(files.service.states))
  const stop = states?.["file"]?.remote?.watch()
  await states?.["file"]?.remote?.read({ signal: new AbortController().signal })
  stop?.()
  const controller = new AbortController()
  const waiting = mirror.execute("wait", {}, { signal: controller.signal, progress: () => {}, answers: {} })
  await endOfTask()
  controller.abort()
  await waiting
  mirror.close()
  await endOfTask()
  const of = (from: "near" | "far") => pair.sent.filter((each) => each.from === from).map(({ frame }) => frame)
  return { near: of("near"), far: of("far") }
}

/** Creates a channel whose other side is the test. Frames are delivered synchronously, so a throw reaches the test. */
function createRawChannel() {
  let listener: ChannelListener | undefined
  let closed = false
  const sent: string[] = []
  const channel: Channel = {
    send: (frame) => sent.push(frame),
    listen(next) {
      listener = next
    },
    close: () => {
      closed = true
    },
  }
  return {
    channel,
    sent,
    isClosed: () => closed,
    say(frame: string): void {
      if (!closed) listener?.frame(frame)
    },
    break: () => listener?.closed("the test is over"),
  }
}

const honest = await record()

/** Sends all frames of an attack, with task ends in between. */
async function play(attack: readonly string[], raw: ReturnType<typeof createRawChannel>): Promise<void> {
  for (const [index, frame] of attack.entries()) {
    raw.say(frame)
    if (index % 7 === 0) await endOfTask()
  }
  await endOfTask()
}

/** Returns the current value of a map; an empty map if it has not emitted. */
function peek<Item>(map: Observable<Readonly<Record<string, Item>>>): Readonly<Record<string, Item>> {
  let now: Readonly<Record<string, Item>> = {}
  map.subscribe((next) => (now = next)).unsubscribe()
  return now
}

/** Counts the reachable services and their visible members. */
function countAll(root: AgenticService): { readonly services: number; readonly members: number } {
  const seen = new Set([root])
  let members = 0
  for (const { states, actions, links } of seen) {
    const linked = Object.values(peek(links))
    members += Object.keys({ ...peek(states) }).length + Object.keys({ ...peek(actions) }).length + linked.length
    for (const { service } of linked) seen.add(service)
  }
  return { services: seen.size, members }
}

describe("malformed frames", () => {
  it("close a mirror with a reason or leave it intact: nothing throws, limits hold, calls are answered", async () => {
    await fc.assert(
      fc.asyncProperty(anyAttack(honest.near), async (attack) => {
        const raw = createRawChannel()
        const mirror = mirrorService(raw.channel, { limits: LIMITS, foreign: true })
        const failures: unknown[] = []
        mirror.failures.subscribe((failure) => failures.push(failure))
        const statuses: unknown[] = []
        mirror.status.subscribe((status) => statuses.push(status))
        await endOfTask()
        await play(attack, raw)
        const { services, members } = countAll(mirror)
        const keys = Object.keys(mirror.declared.actions)
        const calls = ["add", ...keys].slice(0, 4).map((key) => mirror.execute(key, {}))
        await endOfTask()
        raw.break()
        const outcomes = await Promise.all(calls)
        const last: unknown = statuses.at(-1)

        expect(services).toBeLessThanOrEqual(LIMITS.services + 1)
        expect(members).toBeLessThanOrEqual(LIMITS.members * 1.25)
        expect(outcomes.every(({ ok }) => typeof ok === "boolean" || ok === "ask")).toBe(true)
        expect(last).toMatchObject({ state: "unavailable", end: { reason: expect.any(String) } })
        expect([peek(mirror.actions), peek(mirror.states)]).toEqual([{}, {}])
        mirror.close()
      }),
      { numRuns: runsOf(150) },
    )
  })

  it("close an offer or leave it intact: nothing throws, no more calls run than allowed, and none stays running", async () => {
    await fc.assert(
      fc.asyncProperty(anyAttack(honest.far), async (attack) => {
        const { service, held, count } = createRich()
        const raw = createRawChannel()
        const offer = offerService(service, raw.channel)
        await endOfTask()
        await play(attack, raw)
        const most = held.running
        raw.break()
        const end = await offer.closed
        await endOfTask()

        // The limits that a well-behaved side announced, or the defaults.
        expect(most).toBeLessThanOrEqual(raw.sent.length)
        expect(raw.sent.every((frame) => typeof JSON.parse(frame).t === "string")).toBe(true)
        expect(typeof end.reason).toBe("string")
        expect(held).toEqual({ running: 0, watched: 0 })
        expect(count.observed).toBe(false)
        expect(await service.execute("add", { by: 1 })).toMatchObject({ ok: true })
        service.close()
      }),
      { numRuns: runsOf(150) },
    )
  })
})
