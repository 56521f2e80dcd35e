import { type AgenticService, action, createAgenticService, link, links, state } from "@x/agentic-service"
import { thingOf } from "@x/agentic-service/adapter"
import { toJson } from "@x/base"
import fc from "fast-check"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { type MirroredService, mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"

/** Creates a service that can change in every way, and link to any other. */
function createPart(index: number) {
  const value = new BehaviorSubject<unknown>(index)
  const there = new BehaviorSubject(true)
  const one = new BehaviorSubject<AgenticService | null>(null)
  const many = new BehaviorSubject<readonly { readonly id: string; readonly to: AgenticService }[]>([])
  const when = { is: there, otherwise: `not in ${index}` }
  const service = createAgenticService({
    name: `part${index}`,
    states: {
      value: state({ description: "A value", schema: {}, value }),
      sometimes: state({ schema: {}, value: "x", when }),
      __proto__: state({ schema: {}, value: "a key like any other" }),
    },
    actions: {
      set: action({
        description: "Set",
        title: "Set it",
        input: { type: "object" },
        idempotent: true,
        execute: () => {},
      }),
      delete: action({ description: "Delete", destructive: true, when, confirm: () => "Sure?", execute: () => {} }),
    },
    links: {
      one: link({ description: "One", service: one }),
      many: links({ of: many, key: ({ id }) => id, service: ({ to }) => to }),
    },
  })
  return { service, value, there, one, many }
}

type Part = ReturnType<typeof createPart>

const anyEdit = fc.oneof(
  fc.record({ kind: fc.constant("value" as const), part: fc.nat(4), to: fc.jsonValue({ maxDepth: 2 }) }),
  fc.record({ kind: fc.constant("there" as const), part: fc.nat(4), to: fc.boolean() }),
  fc.record({ kind: fc.constant("one" as const), part: fc.nat(4), to: fc.option(fc.nat(4)) }),
  fc.record({
    kind: fc.constant("many" as const),
    part: fc.nat(4),
    to: fc.uniqueArray(fc.record({ id: fc.constantFrom("a", "b", "__proto__"), to: fc.nat(4) }), {
      selector: ({ id }) => id,
    }),
  }),
  fc.record({ kind: fc.constant("settle" as const) }),
  fc.record({ kind: fc.constant("cut" as const) }),
  fc.record({ kind: fc.constantFrom("hold" as const, "release" as const) }),
)
type Edit = typeof anyEdit extends fc.Arbitrary<infer Value> ? Value : never

function edit(parts: readonly Part[], change: Edit): void {
  const part = "part" in change ? parts[change.part] : undefined
  if (part === undefined || !("part" in change)) return
  const serviceOf = (index: number) => parts[index]?.service ?? part.service
  if (change.kind === "value") part.value.next(change.to)
  if (change.kind === "there") part.there.next(change.to)
  if (change.kind === "one") part.one.next(change.to === null ? null : serviceOf(change.to))
  if (change.kind === "many") part.many.next(change.to.map(({ id, to }) => ({ id, to: serviceOf(to) })))
}

/** Returns all visible members of a graph, each service once, in the order of its links. */
async function look(root: AgenticService): Promise<unknown> {
  const seen = new Map([[root, 0]])
  const shown: unknown[] = []
  for (const service of seen.keys()) {
    const held = [service.states.subscribe(), service.actions.subscribe(), service.links.subscribe()]
    const [states, actions, links] = await Promise.all([
      firstValueFrom(service.states),
      firstValueFrom(service.actions),
      firstValueFrom(service.links),
    ])
    const sorted = Object.entries(links).sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [, { service: target }] of sorted) if (!seen.has(target)) seen.set(target, seen.size)
    shown.push({
      name: service.name,
      thing: thingOf(service),
      states: toEntries(states, ({ value, schema, description }) => ({ value, schema, description })),
      actions: toEntries(actions, ({ description, title, schema, hints, confirm }) => ({
        description,
        title,
        schema,
        hints,
        asks: confirm !== undefined,
      })),
      links: sorted.map(([key, { description, service: target }]) => [key, description, seen.get(target)]),
      reasons: toEntries(service.declared.actions, (member) => member.unavailable() ?? null),
      declared: toEntries(service.declared.states, ({ definition, conditional }) => ({ definition, conditional })),
    })
    for (const subscription of held) subscription.unsubscribe()
  }
  return toJson(shown)
}

function toEntries<Item>(map: Readonly<Record<string, Item>>, show: (item: Item) => unknown): unknown {
  return Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, show(item)])
}

/** Waits until every frame has been delivered and no more are sent. */
async function rest(pair: { readonly sent: readonly unknown[] }): Promise<void> {
  for (let quiet = 0, before = -1; quiet < 3; quiet = pair.sent.length === before ? quiet + 1 : 0) {
    before = pair.sent.length
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const isLive = (mirror: MirroredService) => firstValueFrom(mirror.status.pipe(filter(({ state }) => state === "live")))

describe("a mirror", () => {
  it("equals its original at rest, whatever was edited and however often the channel broke", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEdit, { maxLength: 25 }), async (edits) => {
        const parts = Array.from({ length: 5 }, (_, index) => createPart(index))
        const [root] = parts
        if (root === undefined) throw new Error("unreachable")
        let pair = createChannelPair()
        offerService(root.service, pair.near)
        const mirror = mirrorService(pair.far, { beatMs: 60_000 })
        // A mirror can itself be offered, even before it has received anything.
        const onward = createChannelPair()
        offerService(mirror, onward.near)
        const second = mirrorService(onward.far, { beatMs: 60_000 })
        const held = root.service.states.subscribe()

        for (const change of edits) {
          edit(parts, change)
          if (change.kind === "settle") await new Promise((resolve) => setImmediate(resolve))
          if (change.kind === "hold") pair.hold("far")
          if (change.kind === "release") pair.release("far")
          if (change.kind === "cut") {
            pair.cut()
            pair = createChannelPair()
            offerService(root.service, pair.near)
            mirror.resume(pair.far)
          }
        }
        pair.release("far")
        await isLive(mirror)
        await rest(pair)
        await isLive(second)
        await rest(onward)

        expect(await look(mirror)).toEqual(await look(root.service))
        expect(await look(second)).toEqual(await look(root.service))
        second.close()
        mirror.close()
        held.unsubscribe()
      }),
      { numRuns: 60 },
    )
  })
})
