import { type AgenticService, action, createAgenticService, links } from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { answer } from "../handlers/answer.fixture.js"

const KEYS = ["a", "a-b", "a_b", "b c", "7"]
const ACTIONS = ["open", "paint", "item"]

/** Input schemas; the last one cannot take another parameter. */
const INPUTS = [
  undefined,
  { type: "object", properties: { color: { type: "string" } }, required: ["color"], additionalProperties: false },
  { type: "object", properties: { item: { type: "string" } }, additionalProperties: false },
  { type: "object", properties: { color: { type: "string" } }, minProperties: 1 },
] as const

/** An item: for each action, which input it takes and whether it can be called at first. */
interface Item {
  readonly key: string
  readonly members: readonly { readonly input: number; readonly isOpen: boolean }[]
}

const member = fc.record({ input: fc.nat(INPUTS.length - 1), isOpen: fc.boolean() })
const alike = fc
  .tuple(...ACTIONS.map(() => fc.boolean()))
  .map((open) => open.map((isOpen, input) => ({ input, isOpen })))
const item = fc.record({
  key: fc.constantFrom(...KEYS),
  members: fc.oneof({ weight: 4, arbitrary: alike }, { weight: 1, arbitrary: fc.tuple(...ACTIONS.map(() => member)) }),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("put" as const), item }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop" as const), key: fc.constantFrom(...KEYS) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("toggle" as const),
      key: fc.constantFrom(...KEYS),
      at: fc.nat(ACTIONS.length - 1),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Creates a hall of items that steps change. */
function createHall(): { service: AgenticService; take(step: Step): void } {
  const items = new BehaviorSubject<readonly Item[]>([])
  const gates = new Map<string, readonly BehaviorSubject<boolean>[]>()
  const toService = ({ key, members }: Item): AgenticService => {
    const own = members.map(({ isOpen }) => new BehaviorSubject(isOpen))
    gates.set(key, own)
    const actions = ACTIONS.map((name, at) => {
      const input = INPUTS[members[at]?.input ?? 0]
      const definition = {
        description: `Works on ${name}`,
        when: { is: own[at] ?? true, otherwise: `${key} is closed` },
      }
      const execute = (given: unknown) => ({ key, at, given })
      return [
        name,
        input === undefined ? action({ ...definition, execute }) : action({ ...definition, input, execute }),
      ]
    })
    return createAgenticService({ name: "thing", actions: Object.fromEntries(actions) })
  }
  const rows = links({ of: items, key: ({ key }: Item) => key, service: toService })
  return {
    service: createAgenticService({ name: "hall", links: { rows } }),
    take(step) {
      if (step.kind === "drop") return items.next(items.value.filter(({ key }) => key !== step.key))
      if (step.kind === "put") return items.next([...items.value.filter(({ key }) => key !== step.item.key), step.item])
      const gate = items.value.some(({ key }) => key === step.key) ? gates.get(step.key)?.[step.at] : undefined
      gate?.next(!gate.value)
    },
  }
}

type Tool = { name: string; inputSchema: { properties?: Record<string, { enum?: string[] }> } }

/** Serves a hall in one exposure. */
function open(exposure: "grouped" | "dynamic") {
  const { service, take } = createHall()
  const { request, options } = answer(service, { exposure, catchUp: false })
  return {
    take,
    view: options.view,
    // As tools/list answers.
    list: async () => (await request("tools/list"))["tools"] as readonly Tool[],
    /** Returns how a call ends, without the names of actions that can be called. */
    async call(name: string, args: object): Promise<unknown> {
      const result = await request("tools/call", { name, arguments: args }).catch((cause: Error) => cause.message)
      if (typeof result === "string") return result
      const [block] = result["content"] as { text: string }[] // as tools/call answers
      const said = block?.text.replace(/\n(can be called now: .*|no action can be called now)/, "")
      return [said, result["isError"]]
    },
  }
}

/** A listed tool of several items: its name, the name of their parameter, and the items. */
type Group = { readonly name: string; readonly parameter: string; readonly items: readonly string[] }

function groupsOf(tools: readonly Tool[], action: string): readonly Group[] {
  return tools.flatMap(({ name, inputSchema }) => {
    const [parameter, schema] = Object.entries(inputSchema.properties ?? {})[0] ?? []
    if (parameter === undefined || schema?.enum === undefined) return []
    return name.startsWith(`rows__${action}`) ? [{ name, parameter, items: schema.enum }] : []
  })
}

describe("the exposure grouped", () => {
  it("lists what dynamic lists, and its calls end as those of dynamic, for any items", async () => {
    let grouping = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
        const [grouped, dynamic] = [open("grouped"), open("dynamic")]
        for (const step of steps) {
          grouped.take(step)
          dynamic.take(step)
        }
        const [listed, oracle] = [await grouped.list(), await dynamic.list()]
        const [names, callable] = [listed, oracle].map((tools) => new Set(tools.map(({ name }) => name)))
        for (const key of ACTIONS) {
          const groups = groupsOf(listed, key)
          grouping += groups.length
          const nameOf = (item: string): string => {
            const path = ["rows", item]
            return dynamic.view.toolAt(path, key)?.name ?? dynamic.view.nameOf(path, key).name
          }
          for (const { items } of groups) {
            // A tool is listed exactly while some item's action can be called.
            expect(items.some((item) => callable?.has(nameOf(decodeURIComponent(item))))).toBe(true)
            expect(items.length).toBeGreaterThan(1)
          }
          for (const item of KEYS) {
            const group = groups.find(({ items }) => items.includes(encodeURIComponent(item)))
            const [isAlone, isCallable] = [names?.has(nameOf(item)), callable?.has(nameOf(item))]
            // Listed once: by itself, or with other items.
            expect([isAlone, isCallable && group === undefined]).toEqual([isCallable && group === undefined, isAlone])
            for (const args of [{}, { color: "red" }, { color: 3 }]) {
              const expected = await dynamic.call(nameOf(item), args)
              expect(await grouped.call(nameOf(item), args)).toEqual(expected)
              if (group === undefined) continue
              expect(await grouped.call(group.name, { [group.parameter]: item, ...args })).toEqual(expected)
            }
          }
        }
      }),
      { numRuns: 15 },
    )
    expect(grouping).toBeGreaterThan(3)
  })
})
