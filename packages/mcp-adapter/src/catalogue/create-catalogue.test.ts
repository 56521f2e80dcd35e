import {
  type Action,
  type AgenticService,
  action,
  createAgenticService,
  type JsonSchema,
  link,
  links,
  state,
  toAgenticService,
} from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject, defer, NEVER, type Observable, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig, published, toolNames } from "./catalogue.fixture.js"
import { type Diff, toDiff } from "./diff.js"

const run = (): void => undefined

/** Creates services whose every condition, value and link is a subject. */
function createWorld(size: number) {
  const services: AgenticService[] = []
  const switches: BehaviorSubject<boolean>[] = []
  const values: BehaviorSubject<number>[] = []
  const pointers: BehaviorSubject<AgenticService | null>[] = []
  for (let index = 0; index < size; index += 1) {
    const on = new BehaviorSubject(false)
    const shown = new BehaviorSubject(false)
    const value = new BehaviorSubject(0)
    const left = new BehaviorSubject<AgenticService | null>(null)
    const right = new BehaviorSubject<AgenticService | null>(null)
    switches.push(on, shown)
    values.push(value)
    pointers.push(left, right)
    services.push(
      createAgenticService({
        name: `s${index}`,
        states: {
          value: state({ schema: { type: "number" }, value }),
          hidden: state({ schema: { type: "number" }, value, when: shown }),
        },
        actions: {
          always: action({ description: `Runs s${index}`, execute: run }),
          sometimes: action({ description: "Sometimes", when: on, execute: run }),
        },
        links: { left: link({ service: left }), right: link({ service: right }) },
      }),
    )
  }
  return { services, switches, values, pointers }
}

describe("createCatalogue", () => {
  it("equals a snapshot taken from scratch, whatever was emitted, read and settled before", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("switch" as const), at: fc.nat(), to: fc.boolean() }),
      fc.record({ kind: fc.constant("value" as const), at: fc.nat(), to: fc.nat(2) }),
      fc.record({ kind: fc.constant("point" as const), at: fc.nat(), to: fc.option(fc.nat()) }),
      fc.record({ kind: fc.constantFrom("read" as const, "end" as const), at: fc.nat(), to: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = createWorld(5)
        const [root] = world.services
        if (root === undefined) return
        const { catalogue, clock } = createRig(root, { depth: 4 })
        for (const { kind, at, to } of steps) {
          if (kind === "read") catalogue.read()
          else if (kind === "end") clock.endTask()
          else if (kind === "switch") world.switches[at % world.switches.length]?.next(Boolean(to))
          else if (kind === "value") world.values[at % world.values.length]?.next(Number(to))
          else {
            const target = typeof to === "number" ? world.services[to % world.services.length] : undefined
            world.pointers[at % world.pointers.length]?.next(target ?? null)
          }
        }

        expect(published(catalogue.read())).toEqual(published(createRig(root, { depth: 4 }).catalogue.read()))
      }),
      { numRuns: 1_000 },
    )
  })

  it("reports exactly the difference between the snapshots before and after", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.boolean()), { maxLength: 30 }), fc.nat(30), (steps, split) => {
        const world = createWorld(5)
        const [root, ...others] = world.services
        if (root === undefined) return
        for (const [index, service] of others.entries()) world.pointers[index]?.next(service)
        const { catalogue } = createRig(root)
        const apply = (part: typeof steps): void => {
          for (const [at, to] of part) {
            world.switches[at]?.next(to)
            catalogue.read()
          }
        }
        apply(steps.slice(0, split))
        const before = catalogue.read()
        apply(steps.slice(split))
        const after = catalogue.read()

        const changes = catalogue.since(before.revision)?.tools ?? new Map()

        const names = new Set(toolNames(before))
        for (const [name, change] of changes) {
          if (change.after === undefined) names.delete(name)
          else names.add(name)
        }
        expect([...names].sort()).toEqual(toolNames(after))
        expect(
          [...changes.keys()].every((name) => toolNames(before).includes(name) !== toolNames(after).includes(name)),
        ).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it("keeps the entries of everything that did not change", () => {
    const on = new BehaviorSubject(true)
    const service = createAgenticService({
      name: "s",
      actions: {
        a: action({ description: "A", execute: run }),
        b: action({ description: "B", when: on, execute: run }),
        c: action({ description: "C", execute: run }),
      },
    })
    const { catalogue } = createRig(service)
    const before = catalogue.read().tools

    on.next(false)

    expect(catalogue.read().tools).toEqual([before[0], before[2]])
  })

  it("gives the same snapshot until something changes", () => {
    const { catalogue } = createRig(createAgenticService({ name: "s", actions: {} }))

    expect(catalogue.read()).toBe(catalogue.read())
  })

  it("reports no change for a map emitted again with the same members", () => {
    const actions = { a: toAction("A") }
    const emissions = new BehaviorSubject(actions)
    const { catalogue, clock } = createRig(handWritten({ actions: emissions }))
    const seen: number[] = []
    catalogue.changes.subscribe((change) => seen.push(change.revision))

    emissions.next({ a: toAction("A") })
    clock.endTask()

    expect(seen).toEqual([])
  })

  it("runs the newest function of an action when only the function changed", async () => {
    const emissions = new BehaviorSubject({ a: toAction("A", () => "old") })
    const { catalogue } = createRig(handWritten({ actions: emissions }))

    emissions.next({ a: toAction("A", () => "new") })

    const outcome = await catalogue.find("a")?.latest()?.current()?.execute({}, context())
    expect(outcome).toEqual({ ok: true, value: "new" })
  })

  it("shapes results by the newest output schema, even if its published form is unchanged", () => {
    const texts: JsonSchema = { type: "array", items: { type: "string" } }
    const wrapped: JsonSchema = {
      type: "object",
      properties: { result: texts },
      required: ["result"],
      additionalProperties: false,
    }
    const emissions = new BehaviorSubject<Record<string, Action>>({ a: { ...toAction("A"), output: texts } })
    const { catalogue } = createRig(handWritten({ actions: emissions }))
    const before = catalogue.read().tools[0]

    emissions.next({ a: { ...toAction("A"), output: wrapped } })

    const after = catalogue.read().tools[0]
    expect(after?.definition.outputSchema).toEqual(before?.definition.outputSchema)
    expect(after?.output?.toStructured({ result: ["x"] })).toEqual({ result: ["x"] })
  })

  it("merges a burst of emissions into one change", () => {
    const on = Array.from({ length: 200 }, () => new BehaviorSubject(false))
    const actions = Object.fromEntries(
      on.map((when, index) => [`a${index}`, action({ description: "A", when, execute: run })]),
    )
    const { catalogue, clock } = createRig(createAgenticService({ name: "s", actions }))
    const sizes: number[] = []
    catalogue.changes.subscribe((change) => sizes.push(change.tools.size))

    for (const when of on) when.next(true)
    clock.endTask()

    expect(sizes).toEqual([200])
  })

  it("keeps the last targets when their source fails, and reports the failure", () => {
    const keys = new BehaviorSubject<readonly string[]>(["tab_a", "tab_b"])
    const targets = { keys, find: () => undefined }
    const { catalogue, diagnostics } = createRig({ ...createAgenticService({ name: "app" }), targets })

    keys.error(new Error("boom"))

    expect(catalogue.targets().map((placed) => placed.keys)).toEqual([["tab_a", "tab_b"]])
    expect(diagnostics).toMatchObject([{ code: "source_failed", path: [], cause: new Error("boom") }])
  })

  it("serves the last map of a failed source, and reports the failure", () => {
    const emissions = new Subject<Record<string, ReturnType<typeof toAction>>>()
    const { catalogue, diagnostics } = createRig(handWritten({ actions: emissions }))
    emissions.next({ a: toAction("A") })

    emissions.error(new Error("boom"))

    expect([toolNames(catalogue.read()), diagnostics.map(({ code }) => code)]).toEqual([["a"], ["source_failed"]])
  })

  it("reports a result that does not match its output schema, and keeps listing the action", async () => {
    // The types reject this, but untyped code may do it.
    const bad = action({ description: "Bad", output: { type: "string" }, execute: (): string => JSON.parse("1") })
    const { catalogue, diagnostics } = createRig(createAgenticService({ name: "s", actions: { bad } }))

    await catalogue.find("bad")?.latest()?.current()?.execute(undefined, context())

    expect([toolNames(catalogue.read()), diagnostics.map(({ code }) => code)]).toEqual([["bad"], ["result_invalid"]])
  })

  it("serves the last map of a source that completed", () => {
    const emissions = new BehaviorSubject({ a: toAction("A") })
    const { catalogue } = createRig(handWritten({ actions: emissions }))

    emissions.complete()

    expect(toolNames(catalogue.read())).toEqual(["a"])
  })

  it("ends with the newest value when an earlier listener emits during an emission", () => {
    const emissions = new BehaviorSubject<Record<string, ReturnType<typeof toAction>>>({})
    emissions.subscribe((actions) => {
      if ("first" in actions) emissions.next({ second: toAction("Second") })
    })
    const { catalogue } = createRig(handWritten({ actions: emissions }))

    emissions.next({ first: toAction("First") })

    expect(toolNames(catalogue.read())).toEqual(["second"])
  })

  it("subscribes once to a map that may be cold, even if it emits a burst", () => {
    let runs = 0
    const emissions = new Subject<Record<string, ReturnType<typeof toAction>>>()
    const actions = defer(() => {
      runs += 1
      return emissions
    })
    const { catalogue } = createRig(handWritten({ actions }))

    emissions.next({ first: toAction("First") })
    emissions.next({ second: toAction("Second") })

    expect(toolNames(catalogue.read())).toEqual(["second"])
    expect(runs).toBe(1)
  })

  it("leaves a broken member out, reports it once, and serves the rest", () => {
    const broken = { ...toAction("Broken"), execute: undefined } as never // a hand-written service may hold this
    const emissions = new BehaviorSubject<Record<string, ReturnType<typeof toAction>>>({ broken, a: toAction("A") })
    const { catalogue, diagnostics } = createRig(handWritten({ actions: emissions }))

    emissions.next({ broken, a: toAction("A"), b: toAction("B") })

    expect([toolNames(catalogue.read()), diagnostics.map(({ key }) => key)]).toEqual([["a", "b"], ["broken"]])
  })

  it("lists an action under its author's name, and leaves out one whose name hosts refuse", () => {
    const named = (toolName: string) => action({ description: toolName, toolName, execute: run })
    const { catalogue, diagnostics } = createRig(
      createAgenticService({
        name: "s",
        actions: { a: named("take_back"), b: named("child.undo") },
      }),
    )

    expect([toolNames(catalogue.read()), diagnostics.map(({ code, key }) => [code, key])]).toEqual([
      ["take_back"],
      [["member_invalid", "b"]],
    ])
  })

  it("leaves out a link to something other than a service, and follows its siblings", () => {
    const other = createAgenticService({ name: "o", actions: { a: action({ description: "A", execute: run }) } })
    const map = { bad: { service: 5 as never }, good: { service: other } } // a hand-written service may hold this
    const { catalogue, diagnostics } = createRig(handWritten({ links: new BehaviorSubject(map) }))

    const names = toolNames(catalogue.read())

    expect([names, diagnostics.map(({ key }) => key)]).toEqual([["good__a"], ["bad"]])
  })

  it("ends at a cycle and lists each service once, under its canonical path", () => {
    const next = new BehaviorSubject<AgenticService | null>(null)
    const service = (name: string): AgenticService =>
      createAgenticService({
        name,
        actions: { act: action({ description: name, execute: run }) },
        links: { self: link({ service: next }), other: link({ service: next }) },
      })
    const root = service("root")
    const { catalogue } = createRig(root)

    next.next(root)

    expect(published(catalogue.read())).toMatchObject({
      tools: [{ name: "act" }],
      links: [
        { path: ["other"], canonical: [] },
        { path: ["self"], canonical: [] },
      ],
    })
  })

  it("keeps the name of an alias callable", () => {
    const shared = createAgenticService({ name: "x", actions: { act: action({ description: "Act", execute: run }) } })
    const root = createAgenticService({
      name: "r",
      links: { a: link({ service: shared }), b: link({ service: shared }) },
    })
    const { catalogue } = createRig(root)

    expect(catalogue.find("b__act")?.latest()?.name).toBe("a__act")
  })

  it("keeps a former name callable when the canonical path changes", () => {
    const shared = createAgenticService({ name: "x", actions: { act: action({ description: "Act", execute: run }) } })
    const a = new BehaviorSubject<AgenticService | null>(null)
    const root = createAgenticService({ name: "r", links: { a: link({ service: a }), b: link({ service: shared }) } })
    const { catalogue } = createRig(root)
    const deep = catalogue.find("b__act")?.latest()?.name

    a.next(shared)

    expect([deep, catalogue.find("b__act")?.latest()?.name]).toEqual(["b__act", "a__act"])
  })

  it("knows a declared action that was never available, and its reason", () => {
    const service = createAgenticService({
      name: "s",
      actions: {
        undo: action({
          description: "Undo",
          when: { is: new BehaviorSubject(false), otherwise: "no history" },
          execute: run,
        }),
      },
    })
    const { catalogue } = createRig(service)

    const known = catalogue.find("undo")

    expect([known?.entry.name, known?.latest(), known?.reason()]).toEqual(["undo", undefined, "no history"])
  })

  it("knows an action of a formerly linked service, without keeping the service alive", () => {
    const other = createAgenticService({ name: "o", actions: { act: action({ description: "Act", execute: run }) } })
    const to = new BehaviorSubject<AgenticService | null>(other)
    const { catalogue } = createRig(createAgenticService({ name: "r", links: { l: link({ service: to }) } }))

    to.next(null)

    expect(catalogue.find("l__act")).toMatchObject({ entry: { name: "l__act" } })
    expect(catalogue.find("l__act")?.latest()).toBeUndefined()
  })

  it("publishes a service again in one change when its link is pointed at an equal one", () => {
    const make = (): AgenticService =>
      createAgenticService({ name: "o", actions: { act: action({ description: "Act", execute: run }) } })
    const to = new BehaviorSubject<AgenticService | null>(make())
    const { catalogue, clock } = createRig(createAgenticService({ name: "r", links: { l: link({ service: to }) } }))
    const changes: Diff["tools"][] = []
    catalogue.changes.subscribe((change) => changes.push(toDiff(change).tools))

    to.next(make())
    clock.endTask()

    const names = changes.map(({ replaced, ...others }) => [
      replaced.map(({ name }) => name),
      Object.values(others).flat(),
    ])
    expect([names, toolNames(catalogue.read())]).toEqual([[[["l__act"], []]], ["l__act"]])
  })

  it("leaves no subscriber behind after links have come and gone", () => {
    const sources = Array.from({ length: 3 }, () => new BehaviorSubject(1))
    const service = createAgenticService({
      name: "o",
      states: { v: state({ schema: { type: "number" }, value: sources[0] as Observable<number> }) }, // three were created
      actions: {
        act: action({
          description: "Act",
          when: sources[1] as Observable<unknown> as Observable<boolean>,
          execute: run,
        }),
      },
    })
    const list = new BehaviorSubject<readonly number[]>([])
    const root = createAgenticService({
      name: "r",
      links: { many: links({ of: list, key: (item) => `k${item}`, service: () => service }) },
    })
    const { catalogue, clock, ledger } = createRig(root)
    const before = ledger.counts()

    for (let round = 0; round < 1_000; round += 1) {
      list.next([round, round + 1])
      clock.endTask()
      list.next([])
      clock.endTask()
    }

    expect([ledger.counts(), sources.map((source) => source.observed)]).toEqual([before, [false, false, false]])
    expect(toolNames(catalogue.read())).toEqual([])
  })

  it("is ready immediately when every map has emitted", async () => {
    const { catalogue } = createRig(createAgenticService({ name: "s" }))

    await expect(catalogue.ready()).resolves.toBeUndefined()
  })

  it("is ready after the bounded wait when a map stays silent, and names the map", async () => {
    const { catalogue, clock, diagnostics } = createRig(handWritten({ states: NEVER }))

    clock.advance(500)

    await expect(catalogue.ready()).resolves.toBeUndefined()
    expect(diagnostics.map(({ code, message }) => [code, message.split(" ")[0]])).toEqual([["waiting", "states"]])
  })

  it("waits for a foreign service that has not emitted yet", async () => {
    const actions = new Subject<object>()
    const { catalogue } = createRig(toAgenticService({ name: "hero", actions, execute: async () => undefined }))
    let ready = false
    void catalogue.ready().then(() => {
      ready = true
    })
    await Promise.resolve()
    const before = ready

    actions.next({ rest: { description: "Rest", execute: async () => undefined } })
    catalogue.read()
    await catalogue.ready()

    expect(before).toBe(false)
    expect(toolNames(catalogue.read())).toEqual(["rest"])
  })

  it("publishes and declares many tools over several tasks, and makes readers wait", async () => {
    const toHidden = (_: unknown, index: number) =>
      [
        `a${index}`,
        action({ description: `Action ${index}`, when: index % 2 === 0, execute: () => undefined }),
      ] as const
    const actions = Object.fromEntries(Array.from({ length: 1_000 }, toHidden))
    const many = createAgenticService({ name: "many", actions })
    const { catalogue, clock } = createRig(many, { readyWaitMs: 1_000_000 }, 1)
    let ready = false
    void catalogue.ready().then(() => {
      ready = true
    })
    await Promise.resolve()
    const atFirst = [catalogue.known().length, ready]

    clock.endTask()
    await Promise.resolve()

    expect(atFirst).toEqual([expect.any(Number), false])
    expect(atFirst[0]).toBeLessThan(1_000)
    expect(ready).toBe(true)
    expect([catalogue.known().length, catalogue.read().tools.length]).toEqual([1_000, 500])
  })

  it("follows links up to the depth limit, and reports deeper ones", () => {
    const chain = (depth: number): AgenticService =>
      createAgenticService({
        name: `d${depth}`,
        actions: { act: action({ description: "Act", execute: run }) },
        ...(depth < 5 && { links: { n: link({ service: chain(depth + 1) }) } }),
      })
    const { catalogue, diagnostics } = createRig(chain(0), { depth: 2 })

    expect([toolNames(catalogue.read()), diagnostics.map(({ code }) => code)]).toEqual([
      ["act", "n__act", "n__n__act"],
      ["depth_limit"],
    ])
  })

  it("lists no more tools than the limit", () => {
    const names = ["a", "b", "c"]
    const actions = Object.fromEntries(names.map((name) => [name, action({ description: name, execute: run })]))
    const { catalogue, diagnostics } = createRig(createAgenticService({ name: "s", actions }), { tools: 2 })

    expect([catalogue.read().tools.length, diagnostics.map(({ code }) => code)]).toEqual([2, ["tool_limit"]])
  })

  it("leaves out definitions over the limit of characters, and serves the rest", () => {
    const service = createAgenticService({
      name: "s",
      states: { long: state({ description: "x".repeat(500), schema: {}, value: 1 }) },
      actions: {
        long: action({ description: "x".repeat(500), execute: run }),
        short: action({ description: "x", execute: run }),
      },
    })
    const { catalogue, diagnostics } = createRig(service, { definitionChars: 400 })
    const { tools, states } = catalogue.read()

    expect([tools.map(({ key }) => key), states]).toEqual([["short"], []])
    expect(diagnostics.map(({ code, key }) => [code, key])).toEqual([
      ["definition_too_large", "long"],
      ["definition_too_large", "long"],
    ])
    // The option's name as users write it.
    expect(diagnostics[0]?.message).toContain('"limits.definitionChars"')
  })

  it("watches no more services than the limit", () => {
    const other = (name: string): AgenticService => createAgenticService({ name })
    const root = createAgenticService({
      name: "r",
      links: { a: link({ service: other("a") }), b: link({ service: other("b") }) },
    })
    const { catalogue, diagnostics } = createRig(root, { services: 2 })

    expect([catalogue.read().links.length, diagnostics.map(({ code }) => code)]).toEqual([1, ["service_limit"]])
  })

  it("releases everything when closed, and closes no service", () => {
    const on = new BehaviorSubject(true)
    const service = createAgenticService({
      name: "s",
      actions: { act: action({ description: "Act", when: on, execute: run }) },
    })
    const { catalogue, ledger, clock } = createRig(service)
    on.next(false)

    catalogue.close()
    catalogue.close()

    expect([Object.values(ledger.counts()).every((count) => count === 0), on.observed, clock.waiting()]).toEqual([
      true,
      false,
      0,
    ])
  })
})

function toAction(description: string, result: () => unknown = run) {
  return {
    description,
    schema: undefined,
    hints: {},
    check: (input: unknown) => ({ ok: true as const, input }),
    execute: async () => ({ ok: true as const, value: result() }),
  }
}

function handWritten(maps: Partial<Pick<AgenticService, "states" | "actions" | "links">>): AgenticService {
  return {
    name: "hand",
    states: new BehaviorSubject({}),
    actions: new BehaviorSubject({}),
    links: new BehaviorSubject({}),
    declared: { states: {}, actions: {}, links: {} },
    failures: NEVER,
    execute: async () => ({ ok: true }),
    close: run,
    ...maps,
  }
}

function context() {
  return { signal: new AbortController().signal, progress: run, answers: {} }
}
