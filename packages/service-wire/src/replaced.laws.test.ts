import type { AgenticService } from "@x/agentic-service"
import { thingOf } from "@x/agentic-service/adapter"
import fc from "fast-check"
import { filter, firstValueFrom, type Observable } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { runsOf } from "./frame-fuzz.fixture.js"
import { fromMessagePort } from "./message-port.js"
import { mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"
import {
  type Connect,
  createMirrorFront,
  createTabsFront,
  createWorld,
  docAt,
  type Front,
  KEYS,
  PATHS,
  type PathName,
  type Ran,
} from "./world.fixture.js"

const anyPath = fc.constantFrom(...PATHS)
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("call" as const), path: anyPath, key: fc.constantFrom(...KEYS) }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("advance" as const), call: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("point" as const),
      link: fc.constantFrom("one", "two"),
      anew: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "trade" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "reconnect" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "reload" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "switchTab" as const }) },
  { weight: 2, arbitrary: fc.constantFrom({ kind: "hold" as const }, { kind: "release" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "task" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "settle" as const }) },
)
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never

const anyLife = fc.record({
  tabs: fc.boolean(),
  visible: fc.boolean(),
  chained: fc.boolean(),
  steps: fc.array(anyStep, { minLength: 5, maxLength: 40 }),
})
type Life = typeof anyLife extends fc.Arbitrary<infer Value> ? Value : never

/** A call as a caller makes it: it resolves a name, checks, may ask, and runs. Any time may pass in between. */
interface Called {
  readonly number: number
  readonly path: PathName
  readonly key: string
  /** The identity that the caller found. */
  readonly seen: string
  readonly place: string
  /** Continues with the next stage. */
  advance(): void
  readonly ended: Promise<unknown>
  outcome: unknown
  /** Whether the identity at the call's path changed before it ended. */
  replaced: boolean
  /** Whether a connection was lost before it ended. */
  lost: boolean
  /** Whether the page was reloaded before it ended. */
  reloaded: boolean
}

const endOfTask = () => new Promise((resolve) => setImmediate(resolve))

/** Returns the current value of a map. */
function now<Item>(map: Observable<Readonly<Record<string, Item>>>): Readonly<Record<string, Item>> {
  let found: Readonly<Record<string, Item>> = {}
  map.subscribe((entries) => (found = entries)).unsubscribe()
  return found
}

function at(root: AgenticService, path: PathName): AgenticService | undefined {
  return path === "root" ? root : now(root.links)[path]?.service
}

/** Starts the caller's part of a call. It resolves the name in one step, as the adapter does. */
function startCall(root: AgenticService, call: Pick<Called, "number" | "path" | "key">): Partial<Called> {
  const service = at(root, call.path)
  const action = service && now(service.actions)[call.key]
  if (service === undefined || action === undefined) return {}
  const thing = thingOf(service)
  const gates = [createGate(), createGate()]
  const run = async (): Promise<unknown> => {
    await gates[0]?.passed
    const checked = await action.check({ call: call.number })
    await gates[1]?.passed
    if (!checked.ok) return checked
    const context = {
      signal: new AbortController().signal,
      progress: () => {},
      answers: {},
      thing,
      confirmed: true,
    } as const
    return action.execute(checked.input, context)
  }
  const advance = (): void => gates.find((gate) => !gate.isOpen())?.open()
  return { seen: String(now(service.states)["who"]?.value), advance, ended: run() }
}

function createGate() {
  let open = false
  let pass = (): void => {}
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  return {
    passed,
    isOpen: () => open,
    open(): void {
      open = true
      pass()
    },
  }
}

/** Runs one random history, and judges each call and everything that ran. */
async function play({ tabs, visible, chained, steps }: Life, connect?: Connect) {
  const world = createWorld(visible)
  const front: Front = tabs ? createTabsFront(world, connect) : createMirrorFront(world, connect)
  const onward = createChannelPair()
  if (chained) offerService(front.mirror.service, onward.near)
  const second = chained ? mirrorService(onward.far, { beatMs: 60_000 }) : undefined
  const root = second ?? front.mirror.service
  const calls: Called[] = []
  const heard = new Map<AgenticService, string>()
  const labels = new Map<string, string>()
  const things = new Map<string, string>()

  // From the reload until the whole page has been received.
  let reloading = false
  // What stood at each path since every frame was delivered, in order.
  const inTransit = new Map<PathName, string[]>()
  const record = (): void => {
    for (const path of PATHS) {
      const { label } = docAt(front.app(), path)
      const labels = inTransit.get(path) ?? []
      inTransit.set(path, labels.at(-1) === label ? labels : [...labels, label])
    }
  }
  /** Whether the frames that replace a document by another and back are still on their way. */
  const isReplacedInTransit = (path: PathName, seen: string): boolean => {
    const labels = inTransit.get(path) ?? []
    return labels.slice(labels.indexOf(seen)).some((label) => label !== seen)
  }
  /** Waits until every frame has been delivered. */
  const settle = async (): Promise<void> => {
    front.release()
    for (let quiet = 0, before = -1; quiet < 4; ) {
      const now = front.sent() + onward.sent.length
      quiet = now === before ? quiet + 1 : 0
      before = now
      await endOfTask()
    }
    reloading = false
    inTransit.clear()
    record()
  }
  /** Checks at rest that identities and things correspond one to one, and that listeners know the latest identity. */
  const look = async (): Promise<void> => {
    await settle()
    for (const path of PATHS) {
      const service = at(root, path)
      if (service === undefined) throw new Error(`${path} is not there`)
      const [thing, { label }] = [thingOf(service), docAt(front.app(), path)]
      expect(labels.get(thing) ?? label).toBe(label)
      expect(things.get(label) ?? thing).toBe(thing)
      labels.set(thing, label)
      things.set(label, thing)
      if (heard.has(service)) expect(heard.get(service)).toBe(thing)
      else service.occupancy?.changes.subscribe(() => heard.set(service, thingOf(service)))
      heard.set(service, thing)
    }
  }
  const note = (change: Partial<Pick<Called, "lost" | "reloaded">>): void => {
    for (const call of calls) if (call.outcome === undefined) Object.assign(call, change)
  }
  const begin = async ({ path, key }: Step & { readonly kind: "call" }): Promise<void> => {
    // If no state shows the identity, the caller must have seen the latest one.
    if (!visible) await settle()
    const place = front.place()
    const made = {
      number: calls.length,
      path,
      key,
      place,
      replaced: false,
      lost: reloading,
      reloaded: reloading,
      outcome: undefined,
    }
    const { seen, ...started } = startCall(root, made)
    if (started.ended === undefined || started.advance === undefined || seen === undefined) return
    const label = visible ? seen : docAt(front.app(), path).label
    const replaced = isReplacedInTransit(path, label)
    const call: Called = { ...made, replaced, seen: label, advance: started.advance, ended: started.ended }
    calls.push(call)
    void started.ended.then((outcome) => {
      call.outcome = outcome
    })
  }
  const take = async (step: Step): Promise<void> => {
    const { one, two } = front.app()
    const doc = () => world.createDoc(tabs ? `${one.value.label.split(" ")[0]} ` : "")
    if (step.kind === "call") await begin(step)
    if (step.kind === "advance") calls[calls.length - 1 - step.call]?.advance()
    if (step.kind === "point") front.app()[step.link === "one" ? "one" : "two"].next(step.anew ? doc() : one.value)
    if (step.kind === "trade") {
      const before = one.value
      one.next(two.value)
      two.next(before)
    }
    if (step.kind === "reconnect" || step.kind === "reload") {
      front.release()
      reloading ||= step.kind === "reload"
      note(step.kind === "reload" ? { lost: true, reloaded: true } : { lost: true })
      await front[step.kind]()
    }
    if (step.kind === "switchTab") {
      // A call that runs in the previous tab continues there.
      await front.switchTab()
    }
    if (step.kind === "hold") front.hold()
    if (step.kind === "release") front.release()
    if (step.kind === "task") await endOfTask()
    if (step.kind === "settle") await look()
    record()
    for (const call of calls)
      if (call.outcome === undefined) call.replaced ||= docAt(front.app(), call.path).label !== call.seen
  }

  await firstValueFrom(front.mirror.status.pipe(filter(({ state }) => state === "live")))
  if (second) await firstValueFrom(second.status.pipe(filter(({ state }) => state === "live")))
  await settle()
  for (const step of steps) await take(step)
  front.release()
  for (const call of calls) for (let stage = 0; stage < 2; stage += 1) call.advance()
  await Promise.all(calls.map(({ ended }) => ended))
  await look()
  second?.close()
  front.close()
  return { calls, ran: world.ran }
}

/** Checks what must never happen, whatever was replaced at any time, by the application's own records. */
function judge({ calls, ran }: { readonly calls: readonly Called[]; readonly ran: readonly Ran[] }): void {
  for (const { call: number, label } of ran) {
    const call = calls[number]
    if (call === undefined || call.seen === label) continue
    // A harmless call may wait for a page that is reloaded, and for nothing else.
    const waited = call.key === "peek" && call.reloaded && call.place !== "" && label.startsWith(call.place)
    expect({ call, ranOn: waited ? call.seen : label }).toEqual({ call, ranOn: call.seen })
  }
  for (const call of calls) {
    const times = ran.filter(({ call: number }) => number === call.number).length
    expect(times).toBeLessThanOrEqual(1)
    if (call.replaced || call.lost) continue
    expect({ call, times, outcome: call.outcome }).toEqual({ call, times: 1, outcome: { ok: true } })
  }
}

/** A call while the frames of a replacement and of its reversal are on their way. */
const TRADED_BACK: Life = {
  tabs: true,
  visible: true,
  chained: true,
  steps: [
    ...[{ kind: "trade" } as const, { kind: "reconnect" } as const, { kind: "trade" } as const],
    { kind: "call", path: "one", key: "go" },
    { kind: "advance", call: 0 },
    { kind: "call", path: "root", key: "go" },
    ...[{ kind: "advance", call: 0 } as const, { kind: "advance", call: 0 } as const],
  ],
}

describe("a call, whatever is replaced between any two of its steps", () => {
  it("runs on the thing that its caller found or not at all, and runs if nothing was replaced", async () => {
    let count = { calls: 0, ran: 0, undisturbed: 0 }
    await fc.assert(
      fc.asyncProperty(anyLife, async (life) => {
        const played = await play(life)
        judge(played)
        count = {
          calls: count.calls + played.calls.length,
          ran: count.ran + played.ran.length,
          undisturbed: count.undisturbed + played.calls.filter(({ replaced, lost }) => !replaced && !lost).length,
        }
      }),
      { numRuns: runsOf(120), examples: [[TRADED_BACK]] },
    )
    // Histories that replace all services, or no service, prove little.
    expect(count.undisturbed).toBeGreaterThan(count.calls / 10)
    expect(count.ran).toBeLessThan(count.calls)
  })

  it("holds over real ports as well", async () => {
    const connect: Connect = () => {
      const { port1, port2 } = new MessageChannel()
      const near = fromMessagePort(port1)
      return { near, far: fromMessagePort(port2), cut: () => near.close("cut") }
    }
    await fc.assert(
      fc.asyncProperty(anyLife, async (life) => judge(await play(life, connect))),
      { numRuns: runsOf(25) },
    )
  })
})
