import { Client } from "@modelcontextprotocol/client"
import { type AgenticService, action, createAgenticService, link, state } from "@x/agentic-service"
import { createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, vi } from "vitest"
import { createPicture, type Picture, record } from "../src/index.js"

const NAMES = ["ann", "bob"] as const
type Name = (typeof NAMES)[number]
const KEYS = ["a", "b", "c"] as const

/** An event in one principal's application. */
type Step =
  | { readonly do: "call"; readonly tool: string }
  | { readonly do: "switch"; readonly key: (typeof KEYS)[number] }
  | { readonly do: "set"; readonly value: number }
  | { readonly do: "point"; readonly to: number }
  | { readonly do: "declare"; readonly reason: number }

/** Creates one principal's application, whose texts all contain the name. */
function createApp(name: Name) {
  const on = Object.fromEntries(KEYS.map((key) => [key, new BehaviorSubject(false)]))
  const value$ = new BehaviorSubject(`${name} 0`)
  const boxes = [0, 1, 2].map((index) => createBox(`${name} box ${index}`))
  const box$ = new BehaviorSubject<AgenticService | null>(null)
  const foreign = createForeign(name)
  const service = createAgenticService({
    name: `app of ${name}`,
    states: { value: state({ schema: { type: "string" }, value: value$ }) },
    actions: {
      note: action({ description: `Notes for ${name}`, execute: () => value$.next(`${value$.value}+`) }),
      ...Object.fromEntries(
        KEYS.map((key) => [
          `do_${key}`,
          action({
            description: `Does ${key} for ${name}`,
            when: { is: on[key] ?? false, otherwise: `${name} has switched ${key} off` },
            execute: () => ({ done: `${key} of ${name}` }),
          }),
        ]),
      ),
    },
    links: {
      box: link({ description: `The box of ${name}`, service: box$ }),
      foreign: link({ description: `What ${name} has elsewhere`, service: foreign.service }),
    },
  })
  const apply = (step: Exclude<Step, { readonly do: "call" }>): void => {
    if (step.do === "switch") on[step.key]?.next(!on[step.key]?.value)
    else if (step.do === "set") value$.next(`${name} ${step.value}`)
    else if (step.do === "point") box$.next(boxes[step.to] ?? null)
    else foreign.say(step.reason)
  }
  return { service, apply }
}

function createBox(label: string): AgenticService {
  return createAgenticService({
    name: label,
    states: { label: state({ schema: { type: "string" }, value: label }) },
    actions: { shake: action({ description: "Shakes it", execute: () => ({ label }) }) },
  })
}

/** Creates a custom service with one action that is never available, for changing reasons. */
function createForeign(name: Name) {
  const own = createAgenticService({
    name: `foreign of ${name}`,
    actions: { go: action({ description: `Goes for ${name}`, execute: () => {} }) },
  })
  const actions = new BehaviorSubject<Readonly<Record<string, never>>>({})
  let reason = `reason of ${name}`
  const declared = Object.fromEntries(
    Object.entries(own.declared.actions).map(([key, each]) => [key, { ...each, unavailable: () => reason }]),
  )
  return {
    service: { ...own, actions, declared: { ...own.declared, actions: declared } },
    say(next: number) {
      reason = `reason ${next} of ${name}`
      actions.next({})
    },
  }
}

/** Returns the names and reasons that a new client finds in one exposure. */
async function askFresh(adapter: McpAdapter, name: Name) {
  const connect = async (exposure: "dynamic" | "stable") => {
    const client = new Client({ name: `oracle of ${name}`, version: "0" })
    await client.connect(connectInMemory(adapter, { exposure, principal: { id: name } }))
    return client
  }
  const [dynamic, stable] = [await connect("dynamic"), await connect("stable")]
  const namesOf = async (client: Client) => (await client.listTools()).tools.map((tool) => tool.name)
  const [listed, known] = [await namesOf(dynamic), await namesOf(stable)]
  const reasons: Record<string, string> = {}
  for (const tool of known.filter((each) => !listed.includes(each))) {
    const { content } = await stable.callTool({ name: tool })
    reasons[tool] = JSON.stringify(content)
  }
  const read = await dynamic.callTool({ name: "get_state", arguments: { path: "" } })
  await Promise.all([dynamic.close(), stable.close()])
  return { listed, known, reasons, state: JSON.stringify(read.content) }
}

/** Returns the same from a picture. */
function toLists({ tools, builtIns }: Picture) {
  const rows = [...tools.values()]
  const available = rows.filter((row) => row.available).map((row) => row.name)
  return {
    listed: [...builtIns.dynamic, ...available].sort(),
    known: [...builtIns.stable, ...tools.keys()].sort(),
    away: rows.filter((row) => !row.available),
  }
}

const stepOf = fc.oneof(
  fc.record({
    do: fc.constant("call" as const),
    tool: fc.constantFrom("note", "do_a", "do_b", "box__shake", "list_links"),
  }),
  fc.record({ do: fc.constant("switch" as const), key: fc.constantFrom(...KEYS) }),
  fc.record({ do: fc.constant("set" as const), value: fc.nat({ max: 3 }) }),
  fc.record({ do: fc.constant("point" as const), to: fc.nat({ max: 3 }) }),
  fc.record({ do: fc.constant("declare" as const), reason: fc.nat({ max: 3 }) }),
)

const course = fc.array(fc.tuple(fc.constantFrom(...NAMES), stepOf, fc.boolean()), { minLength: 1, maxLength: 12 })

describe("the recording of one principal's view", () => {
  it("equals what a new client of that principal finds, and contains no text of another's", async () => {
    await fc.assert(fc.asyncProperty(course, play), { seed: 23, numRuns: 25 })
  })
})

/** Runs events of two principals, records both, and asks a new client at the end. */
async function play(steps: readonly (readonly [Name, Step, boolean])[]): Promise<void> {
  const apps = { ann: createApp("ann"), bob: createApp("bob") }
  const adapter = createMcpAdapter((principal) => apps[principal?.id === "ann" ? "ann" : "bob"].service, {
    name: "apps",
  })
  const recorders = NAMES.map((name) => ({ name, recorder: record(adapter, { show: true, principal: { id: name } }) }))
  try {
    for (const { recorder } of recorders) await recorder.ready
    for (const [name, step, waits] of steps) {
      if (step.do === "call") await callAs(adapter, name, step.tool)
      else apps[name].apply(step)
      if (waits) await new Promise((resolve) => setImmediate(resolve))
    }
    for (const { name, recorder } of recorders) {
      const picture = (): Picture => {
        const { start, frames } = recorder.recording() ?? {}
        if (start === undefined) throw new Error("it has begun")
        const keeper = createPicture(start)
        for (const frame of frames ?? []) keeper.apply(frame)
        return keeper.picture
      }
      const truth = await askFresh(adapter, name)
      await vi.waitFor(() => {
        const { listed, known, away } = toLists(picture())
        expect(listed).toEqual([...truth.listed].sort())
        expect(known).toEqual([...truth.known].sort())
        for (const row of away) expect(truth.reasons[row.name]).toContain(row.reason ?? row.name)
      })
      expect(truth.state).toContain(String([...picture().states.values()].find((row) => row.name === "value")?.value))
      const other = NAMES.find((each) => each !== name) ?? name
      expect(recorder.toText()).not.toContain(other)
    }
  } finally {
    for (const { recorder } of recorders) recorder.close()
    adapter.close()
  }
}

async function callAs(adapter: McpAdapter, name: Name, tool: string): Promise<void> {
  const client = new Client({ name: `program of ${name}`, version: "0" })
  await client.connect(connectInMemory(adapter, { principal: { id: name } }))
  await client.callTool({ name: tool }).catch(() => undefined)
  await client.close()
}
