import {
  type AgenticService,
  action,
  createAgenticService,
  link,
  type Principal,
  state,
  toAgenticService,
} from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import type { CallContext } from "../src/calls/call-context.js"
import type { Diff } from "../src/catalogue/diff.js"
import type { Entry } from "../src/catalogue/entry.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createEndpoint } from "../src/create-endpoint.js"
import type { Connection } from "../src/endpoint.js"
import type { Handler } from "../src/handlers/handler.js"
import { createManualClock, type ManualClock } from "../src/runtime/manual-clock.fixture.js"
import type { View } from "../src/views/view.js"

// One application, served twice: by an adapter whose principals share it, and to each principal by an adapter of their own, as
// long as they stay. Whatever happens, each principal gets equal answers, notices and events from both.

const PEOPLE = ["ann", "bob", "cid"] as const
type Person = (typeof PEOPLE)[number]
const KEYS = ["act0", "act1", "act2", "grow0", "grow1", "count", "list", "wipe", "title", "doc"] as const

/** Creates an application: actions that come and go, undeclared ones, states, and a document that is replaced. */
function createApp() {
  const on = [0, 1, 2].map((index) => new BehaviorSubject(index > 0))
  const count = new BehaviorSubject(0)
  const list = new BehaviorSubject<readonly string[]>([])
  const grown = new BehaviorSubject<Record<string, object>>({})
  const doc = new BehaviorSubject<AgenticService | null>(null)
  const actions = Object.fromEntries(
    on.map((is, index) => [
      `act${index}`,
      action({
        description: `Act ${index}`,
        when: { is, otherwise: `act ${index} is off` },
        execute: () => count.next(count.value + 1),
      }),
    ]),
  )
  // Nothing tells what a foreign service may have, so its tools are known only from having been seen.
  const foreign = {
    states: new BehaviorSubject({}),
    actions: grown,
    execute: async () => undefined,
  }
  const root = createAgenticService({
    name: "app",
    actions,
    states: {
      count: state({ schema: { type: "integer" }, value: count }),
      list: state({ schema: { type: "array", items: { type: "string" } }, value: list }),
    },
    links: { doc: link({ service: doc }), foreign: link({ service: toAgenticService(foreign) }) },
  })
  const createDoc = (edition: number): AgenticService =>
    createAgenticService({
      name: "doc",
      states: { title: state({ schema: { type: "string" }, value: `Edition ${edition % 3}` }) },
      actions: { wipe: action({ description: `Wipe ${edition % 2}`, destructive: true, execute: () => undefined }) },
    })
  return {
    root,
    flip: (at: number) => on[at % 3]?.next(!on[at % 3]?.value),
    write: (at: number) => list.next(at % 2 === 0 ? [...list.value] : [`item ${at}`]),
    grow(at: number): void {
      const key = `grow${at % 2}`
      const { [key]: former, ...rest } = grown.value
      const description = `Grown ${at % 3}`
      grown.next(former === undefined ? { ...rest, [key]: { description, execute: () => undefined } } : rest)
    },
    open: (at: number) => doc.next(at % 3 === 0 ? null : createDoc(at)),
  }
}

type App = ReturnType<typeof createApp>

interface Rules {
  readonly denied: Readonly<Record<Person, readonly string[]>>
  readonly filters: boolean
}

function toPrincipal(person: Person): Principal {
  return { id: person, scopes: person === "cid" ? ["write"] : [] }
}

/** Serves the application to principals, and records what each of them hears. */
function createWorld(app: App, clock: ManualClock, { denied, filters }: Rules) {
  const heard = new Map<Person, unknown[]>()
  const viewOf = new Map<string, Person>()
  const told = (person: Person): unknown[] => heard.get(person) ?? heard.set(person, []).get(person) ?? []
  const mayWrite = (principal: Principal | undefined, { key = "doc" }: { key?: string }): boolean =>
    key !== "act2" || principal?.scopes?.includes("write") === true
  const allow = (principal: Principal | undefined, entry: Entry): boolean => {
    const key = entry.kind === "link" ? entry.path.at(-1) : entry.key
    const person = PEOPLE.find((each) => each === principal?.id)
    return mayWrite(principal, { key: key ?? "" }) && person !== undefined && !denied[person].includes(key ?? "")
  }
  const adapter = createMcpAdapter(() => app.root, {
    clock,
    name: "app",
    principals: { idleMs: 10 },
    ...(filters && { allow }),
  })
  adapter.events.subscribe((event) => {
    const person = viewOf.get(("view" in event && event.view) || "")
    if (event.type !== "changed" || person === undefined) return
    // Values are compared with those that listeners of the service were told, who may not know those of a task that is not over.
    const { values } = event.diff
    told(person).push({ changed: toNames({ ...event.diff, values: arriving.delete(person) ? [] : values }) })
  })
  const options = { results: { catchUp: { waitMs: 0 } } } as const
  const faces = [
    createEndpoint(adapter, { ...options, exposure: "dynamic" }),
    createEndpoint(adapter, { ...options, exposure: "stable" }),
  ]
  const arriving = new Set<Person>()
  /** Those who have arrived since the last end of a task. */
  const newcomers = new Set<Person>()
  const open = new Map<Person, readonly Connection[]>()
  const unwatch = new Map<Person, () => void>()
  // An unused view still follows the application for a while.
  const views = new Map<Person, View>()
  return {
    adapter,
    heard: () => PEOPLE.map((person) => inOrder(heard.get(person) ?? [])),
    arrive(person: Person): void {
      if (open.has(person)) return
      const connections = faces.map((face) => face.open(toPrincipal(person)))
      open.set(person, connections)
      arriving.add(person)
      newcomers.add(person)
      connections.forEach((connection, face) => {
        viewOf.set(connection.view.id, person)
        views.set(person, connection.view)
        connection.notices(undefined).subscribe(({ kind, ...rest }) => {
          // Who arrives in the middle of a task may be told of a value that was written before.
          if (kind === "updated" && newcomers.has(person)) return
          told(person).push({ face, kind, ...("uri" in rest && { uri: rest.uri }) })
        })
      })
      unwatch.set(person, connections[0]?.view.watch("all") ?? (() => undefined))
    },
    /** Lets go of all that a person holds. */
    leave(person: Person): void {
      unwatch.get(person)?.()
      for (const connection of open.get(person) ?? []) connection.release()
      open.delete(person)
    },
    endTask: () => newcomers.clear(),
    flush(): void {
      for (const view of views.values()) view.revision()
    },
    async ask(person: Person, face: number, { method, params }: Question): Promise<unknown> {
      const handler = open.get(person)?.[face]?.handlers[method]
      return handler && ask(handler, params, person)
    },
  }
}

/** Sorts the updates between two other notices, because no order is promised for updates of one task. */
function inOrder(heard: readonly unknown[]): readonly string[] {
  const sorted: string[] = []
  let updates: string[] = []
  for (const text of [...heard.map((each) => JSON.stringify(each)), ""]) {
    if (text.includes('"kind":"updated"')) updates.push(text)
    else {
      sorted.push(...updates.sort(), text)
      updates = []
    }
  }
  return sorted
}

interface Question {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

async function ask(handler: Handler, params: Question["params"], person: Person): Promise<unknown> {
  const context: CallContext = {
    client: person,
    principal: toPrincipal(person),
    leg: { transport: "http", era: person === "bob" ? "legacy" : "modern", notices: true },
    signal: new AbortController().signal,
    clientCapabilities: {},
  }
  try {
    return JSON.parse(JSON.stringify(await handler(params, context)))
  } catch (thrown) {
    return { error: String(thrown) }
  }
}

function toNames({ tools, states, links, values }: Diff): unknown {
  const lists = { ...tools, states: states.appeared, gone: states.vanished, links: links.appeared, values }
  return Object.entries(lists).flatMap(([how, entries]) =>
    entries.map((entry) => `${how} ${"key" in entry ? entry.key : entry.path.join("/")}`),
  )
}

const DEEDS = ["flip", "write", "grow", "open"] as const
const person = fc.constantFrom(...PEOPLE)
const list = fc.constant<Question>({ method: "tools/list", params: {} })
const question = fc.oneof(
  list,
  fc.constant<Question>({ method: "resources/list", params: {} }),
  fc
    .constantFrom("act0", "act1", "act2", "foreign__grow0", "foreign__grow1", "doc__wipe", "none")
    .map((name): Question => ({ method: "tools/call", params: { name } })),
  fc.constantFrom("", "doc", "foreign").map(
    (path): Question => ({
      method: "tools/call",
      params: { name: "get_state", arguments: path === "" ? {} : { path } },
    }),
  ),
  fc.constant<Question>({ method: "tools/call", params: { name: "list_links" } }),
)
const step = fc.oneof(
  fc.record({ do: fc.constantFrom(...DEEDS), at: fc.nat(5) }),
  fc.record({ do: fc.constantFrom("arrive", "leave", "return"), person }),
  fc.record({ do: fc.constant("ask"), person, face: fc.nat(1), question }),
  fc.record({ do: fc.constant("ask"), person, face: fc.constant(1), question: list }),
  fc.record({ do: fc.constant("ask"), person, face: fc.nat(1), question }),
  fc.record({ do: fc.constantFrom("end", "wait"), ms: fc.constantFrom(5, 30, 60) }),
)
const denied = fc.subarray([...KEYS], { maxLength: 4 })

describe("principals of one service", () => {
  it("get the answers, notices and events that an adapter of their own would give, and leave nothing behind", async () => {
    const rules = fc.record({ denied: fc.record({ ann: denied, bob: denied, cid: denied }), filters: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(rules, fc.array(step, { maxLength: 60, size: "max" }), async (given, steps) => {
        const clock = createManualClock()
        const app = createApp()
        const shared = createWorld(app, clock, given)
        const own = Object.fromEntries(PEOPLE.map((each) => [each, createWorld(app, clock, given)]))
        const ownOf = (each: Person) => own[each] ?? shared
        const pass = (ms: number): void => {
          clock.advance(ms)
          for (const world of [shared, ...Object.values(own)]) world.endTask()
        }
        for (const each of PEOPLE) for (const world of [shared, ownOf(each)]) world.arrive(each)
        // A reader of a shared service processes its changes for all, so everybody's own adapter does so at the same moments.
        const flush = (): void => {
          for (const world of [shared, ...Object.values(own)]) world.flush()
        }
        for (const next of steps) {
          if ("question" in next) {
            flush()
            const answers = [shared, ownOf(next.person)].map((world) =>
              world.ask(next.person, next.face, next.question),
            )
            const [one, other] = await Promise.all(answers)
            expect(one).toEqual(other)
          } else if ("person" in next) {
            const worlds = [shared, ownOf(next.person)]
            if (next.do !== "arrive") for (const world of worlds) world.leave(next.person)
            // Long enough for the view to be dropped: whoever returns has seen nothing yet.
            if (next.do === "return") pass(20)
            if (next.do !== "leave") for (const world of worlds) world.arrive(next.person)
            flush()
          } else if ("ms" in next) pass(next.do === "wait" ? next.ms : 0)
          else app[next.do](next.at)
        }
        pass(200)

        expect(shared.heard()).toEqual(PEOPLE.map((each, index) => ownOf(each).heard()[index]))
        for (const each of PEOPLE) shared.leave(each)
        clock.advance(20)
        expect(shared.adapter.ledger.counts()).toMatchObject({ subscription: 0, timer: 0, view: 0 })
        for (const world of [shared, ...Object.values(own)]) world.adapter.close()
      }),
      { numRuns: 25 },
    )
  })
})
