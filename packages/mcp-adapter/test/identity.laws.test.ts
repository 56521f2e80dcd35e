import type { Client } from "@modelcontextprotocol/client"
import {
  type ActionDeclaration,
  type AgenticService,
  action,
  createAgenticService,
  link,
  state,
} from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, vi } from "vitest"
import { serveHttp } from "../src/border/http.js"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import type { McpAdapterOptions } from "../src/options.js"
import { createClient, createHttpTransport, type Era } from "./support/connect.js"

// Between any two steps of a call, names stay while instances change. Only the test knows the truth: each document's identity,
// and the documents that each person was shown.

const PEOPLE = ["ann", "bob"] as const
type Person = (typeof PEOPLE)[number]
const SLOTS = ["left", "right"] as const
type Slot = (typeof SLOTS)[number]
const KINDS = ["wipe", "erase", "checked", "slow"] as const
type Kind = (typeof KINDS)[number]

/** A document's identity, which no name reveals. */
interface Doc {
  readonly title: string
  /** The expected identity: equal for documents with the same author's id. */
  readonly thing: string
  /** The edition of its actions' definitions. */
  readonly edition: number
}

type Step =
  | {
      readonly do: "put"
      readonly who: Person
      readonly slot: Slot
      readonly how: "other" | "same" | "edited" | "away"
    }
  | { readonly do: "call"; readonly who: Person; readonly slot: Slot; readonly kind: Kind }
  | { readonly do: "on" | "decline" | "look" | "hold"; readonly who: Person }

const who = fc.constantFrom(...PEOPLE)
const slot = fc.constantFrom(...SLOTS)
const put = fc.record({
  do: fc.constant("put" as const),
  who,
  slot,
  how: fc.constantFrom("other" as const, "other" as const, "same" as const, "edited" as const, "away" as const),
})
const call = fc.record({ do: fc.constant("call" as const), who, slot, kind: fc.constantFrom(...KINDS) })
const deed = fc.record({
  do: fc.constantFrom(
    "on" as const,
    "on" as const,
    "on" as const,
    "decline" as const,
    "look" as const,
    "hold" as const,
  ),
  who,
})
const steps = fc.array(fc.oneof(put, call, call, deed, deed), { minLength: 4, maxLength: 24 })

/** Creates a gate at which work waits until released. */
function createGate() {
  let open: (() => void) | undefined
  return {
    isWaiting: () => open !== undefined,
    wait: () =>
      new Promise<void>((resolve) => {
        open = resolve
      }),
    letOn(): void {
      open?.()
      open = undefined
    },
  }
}

/** Creates one person's application, and records its events. */
function createWorld(person: Person) {
  const slots = {
    left: new BehaviorSubject<AgenticService | null>(null),
    right: new BehaviorSubject<AgenticService | null>(null),
  }
  const docs: Record<Slot, Doc | undefined> = { left: undefined, right: undefined }
  const differences: Record<Slot, number> = { left: 0, right: 0 }
  const ran: { readonly doc: Doc; readonly kind: Kind }[] = []
  const gates = { check: createGate(), run: createGate(), hold: createGate() }
  const all: Doc[] = []
  let made = 0

  const create = (doc: Doc): AgenticService => {
    const note = (kind: Kind) => () => void ran.push({ doc, kind })
    const words = `edition ${doc.edition}`
    const asks = doc.edition % 2 === 0 ? {} : { confirm: () => `Do it to ${doc.title}, ${words}?` }
    const actions: Record<Kind, ActionDeclaration> = {
      wipe: action({ description: `Wipe, ${words}`, ...asks, execute: note("wipe") }),
      erase: action({
        description: `Erase, ${words}`,
        confirm: () => `Erase ${doc.title}, ${words}?`,
        execute: note("erase"),
      }),
      checked: action({
        description: `Check first, ${words}`,
        input: slowly(gates.check.wait),
        ...asks,
        execute: note("checked"),
      }),
      slow: action({
        description: `Take time, ${words}`,
        ...asks,
        execute: async () => {
          note("slow")()
          await gates.run.wait()
        },
      }),
    }
    const title = state({ description: "The title", schema: { type: "string" }, value: doc.title })
    return createAgenticService({ name: "document", id: doc.thing, states: { title }, actions })
  }
  const lay = (at: Slot, doc: Doc | undefined): void => {
    if (docs[at]?.title !== doc?.title) differences[at] += 1
    if (doc !== undefined) all.push(doc)
    docs[at] = doc
    slots[at].next(doc === undefined ? null : create(doc))
  }
  const fresh = (): Doc => {
    made += 1
    return { title: `${person}'s ${made}`, thing: `${person} ${made}`, edition: 0 }
  }
  for (const at of SLOTS) lay(at, fresh())
  for (const at of SLOTS) differences[at] = 0

  const root = createAgenticService({
    name: "desk",
    actions: { hold: action({ description: "Hold", execute: gates.hold.wait }) },
    links: { left: link({ service: slots.left }), right: link({ service: slots.right }) },
  })
  return {
    root,
    docs,
    differences,
    ran,
    /** Returns the document that a question names. */
    find: (message: string) => all.find(({ title, edition }) => message.includes(` ${title}, edition ${edition}?`)),
    gates,
    put(at: Slot, how: "other" | "same" | "edited" | "away"): void {
      const before = docs[at]
      if (how === "away") lay(at, undefined)
      else if (how === "other" || before === undefined) lay(at, fresh())
      else lay(at, how === "same" ? before : { ...before, edition: before.edition + 1 })
    },
  }
}

function slowly(wait: () => Promise<void>) {
  const schema = { type: "object", properties: {} }
  const validate = async (value: unknown) => {
    await wait()
    return { value: Object(value) }
  }
  return {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate,
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

type World = ReturnType<typeof createWorld>

/** An unanswered call, with the truth at each of its steps. */
interface Open {
  readonly slot: Slot
  readonly kind: Kind
  readonly ranBefore: number
  /** Documents at the start and the last question. */
  began: Doc | undefined
  asked: Doc | undefined
  accepted: boolean
  declined: boolean
  /** The number of questions. */
  questions: number
  /** Whether the document was replaced or redefined since the start. */
  replaced: boolean
  answer?: string
}

/** Creates one person at a client. */
function createSeat(person: Person, world: World, client: Client) {
  let open: Open | undefined
  let arrived = false
  let question: { readonly answer: (yes: boolean) => void } | undefined
  const faults: string[] = []
  const known = new Map<string, string>()
  const told = new Map<string, number>()
  const shown: string[] = []

  client.setRequestHandler("elicitation/create", ({ params }) => {
    shown.push(params.message)
    if (!params.message.includes(`${person}'s`)) faults.push(`${person} was shown ${params.message}`)
    if (open !== undefined) {
      open.questions += 1
      // It may have been in transit when another document replaced it: the text that the person reads counts.
      open.asked = world.find(params.message)
      if (open.asked === undefined) faults.push(`${person} was asked of nothing there was: ${params.message}`)
    }
    return new Promise((resolve) => {
      question = {
        answer(yes) {
          question = undefined
          if (open !== undefined) {
            open.accepted = yes
            open.declined = !yes
          }
          resolve(yes ? { action: "accept", content: { confirm: true } } : { action: "decline" })
        },
      }
    })
  })

  /** Compares a call's result with the truth. */
  const judge = (it: Open): void => {
    const ran = world.ran.slice(it.ranBefore)
    const story = JSON.stringify({ ...it, ran })
    if (ran.length > 1) faults.push(`ran more than once: ${story}`)
    for (const { doc, kind } of ran) {
      const meant = it.asked ?? it.began
      if (kind !== it.kind || doc.thing !== meant?.thing) faults.push(`ran on what was not meant: ${story}`)
      if (it.asked !== undefined && !it.accepted) faults.push(`ran without consent: ${story}`)
      if (it.asked !== undefined && doc.edition !== it.asked.edition)
        faults.push(`ran a different definition than the question showed: ${story}`)
      if (it.asked === undefined && (doc.edition % 2 === 1 || kind === "erase"))
        faults.push(`ran what asks, unasked: ${story}`)
    }
    if (!it.replaced && it.began !== undefined) {
      if (it.answer?.includes("(changed)")) faults.push(`rejected although nothing was replaced: ${story}`)
      if (it.questions > 1) faults.push(`asked twice although nothing was replaced: ${story}`)
      if (!it.declined && ran.length !== 1) faults.push(`did not run although nothing was replaced: ${story}`)
    }
  }
  const call = (at: Slot, kind: Kind): void => {
    const it: Open = {
      slot: at,
      kind,
      ranBefore: world.ran.length,
      ...{ began: world.docs[at], asked: undefined, accepted: false, declined: false, questions: 0, replaced: false },
    }
    open = it
    arrived = false
    const end = (answer: string): void => {
      it.answer = answer
      open = undefined
      judge(it)
    }
    client.callTool({ name: `${at}__${kind}`, arguments: {} }).then(
      (result) => end(JSON.stringify(result)),
      (error: unknown) => end(String(error)),
    )
  }
  return {
    faults,
    known,
    told,
    call: (at: Slot, kind: Kind) => {
      if (open === undefined) call(at, kind)
    },
    isBusy: () => open !== undefined,
    /** Whether the server has looked up the call's name. */
    hasArrived: () => arrived,
    noteArrival(name: string): void {
      if (name !== "hold") arrived = true
    },
    isAsked: () => question !== undefined,
    answer: (yes: boolean) => question?.answer(yes),
    replaced(at: Slot, how: string): void {
      if (open?.slot === at && how !== "same") open.replaced = true
    },
  }
}

type Seat = ReturnType<typeof createSeat>

/** Checks whether a call rests: at its check, its question, its turn or its work, or answered. */
function isAtRest(seat: Seat, world: World, holding: boolean): boolean {
  return (
    !seat.isBusy() ||
    seat.isAsked() ||
    world.gates.check.isWaiting() ||
    world.gates.run.isWaiting() ||
    (holding && seat.hasArrived())
  )
}

interface Table {
  readonly world: World
  readonly seat: Seat
  readonly client: Client
  holding: Promise<unknown> | undefined
}

const OPTIONS: McpAdapterOptions = { calls: { running: 1 }, notices: { windowMs: 0 } }

function toUri(at: Slot): string {
  return `agentic://agentic-service/${at}/title`
}

async function follow(table: Table, person: Person): Promise<void> {
  const { client, seat } = table
  const uris = SLOTS.map(toUri)
  const read = async (uri: string): Promise<string> => {
    const { contents } = await client.readResource({ uri })
    const [first] = contents
    return first !== undefined && "text" in first ? first.text : ""
  }
  const listen = async (uri: string): Promise<void> => {
    seat.told.set(uri, (seat.told.get(uri) ?? 0) + 1)
    const text = await read(uri).catch(() => undefined)
    if (text === undefined) return
    if (!text.includes(`${person}'s`)) seat.faults.push(`${person} read ${text}`)
    seat.known.set(uri, text)
  }
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => listen(params.uri))
  for (const uri of uris) seat.known.set(uri, await read(uri))
  if (client.getProtocolEra() === "modern") await client.listen({ resourceSubscriptions: uris })
  else for (const uri of uris) await client.subscribeResource({ uri })
}

async function play(era: Era, over: "http" | "in-memory", all: readonly Step[]): Promise<string[]> {
  const worlds = { ann: createWorld("ann"), bob: createWorld("bob") }
  const adapter = createMcpAdapter((principal) => worlds[principal?.id === "bob" ? "bob" : "ann"].root, OPTIONS)
  const server =
    over === "http"
      ? await serveHttp(adapter, {
          port: 0,
          authenticate: ({ headers }) => ({ id: headers.get("authorization")?.replace("Bearer ", "") ?? "" }),
        })
      : undefined
  adapter.events.subscribe((event) => {
    if (event.type === "call-started")
      tables[event.principal?.id === "bob" ? "bob" : "ann"].seat.noteArrival(event.name)
  })
  const tables = { ann: await sit("ann"), bob: await sit("bob") }

  async function sit(person: Person): Promise<Table> {
    const client = createClient(era, { elicitation: {} })
    const table: Table = {
      world: worlds[person],
      seat: createSeat(person, worlds[person], client),
      client,
      holding: undefined,
    }
    await connect(client, person)
    await follow(table, person)
    return table
  }
  async function connect(client: Client, person: Person): Promise<void> {
    if (server === undefined) return client.connect(connectInMemory(adapter, { principal: { id: person } }))
    const { transport, streaming } = createHttpTransport(server.url, `Bearer ${person}`)
    await client.connect(transport)
    if (era === "legacy") await streaming
  }
  try {
    for (const step of all) await take(step, tables[step.who])
    for (const person of PEOPLE) await finish(tables[person])
    return PEOPLE.flatMap((person) => tables[person].seat.faults)
  } finally {
    for (const person of PEOPLE) await tables[person].client.close()
    await server?.close()
    adapter.close()
  }
}

async function take(step: Step, table: Table): Promise<void> {
  const { world, seat, client } = table
  if (step.do === "put") {
    seat.replaced(step.slot, step.how)
    world.put(step.slot, step.how)
  } else if (step.do === "call") seat.call(step.slot, step.kind)
  else if (step.do === "look") await client.listTools()
  else if (step.do === "hold") hold(table)
  else goOn(table, step.do === "on")
  await vi.waitFor(() => expect(isAtRest(seat, world, table.holding !== undefined)).toBe(true), { interval: 1 })
}

/** Takes the only turn, so that the next call has to wait. */
function hold(table: Table): void {
  if (table.holding !== undefined || table.seat.isBusy()) return
  table.holding = table.client.callTool({ name: "hold" }).finally(() => {
    table.holding = undefined
  })
}

function goOn({ world: { gates }, seat }: Table, yes: boolean): void {
  if (seat.isAsked()) seat.answer(yes)
  else [gates.check, gates.run, gates.hold].find((gate) => gate.isWaiting())?.letOn()
}

/** Finishes everything, and compares the person's knowledge with the truth. */
async function finish(table: Table): Promise<void> {
  const { seat, world } = table
  await vi.waitFor(
    () => {
      goOn(table, true)
      expect([seat.isBusy(), table.holding]).toEqual([false, undefined])
    },
    { interval: 1 },
  )
  await vi.waitFor(() => {
    for (const at of SLOTS) {
      const there = world.docs[at]?.title
      if (there !== undefined) expect(seat.known.get(toUri(at))).toBe(JSON.stringify(there))
    }
  })
  for (const at of SLOTS) {
    const told = seat.told.get(toUri(at)) ?? 0
    if (told > world.differences[at]) seat.faults.push(`told ${told} times of ${world.differences[at]} differences`)
  }
}

describe.each<[Era, "http" | "in-memory"]>([
  ["legacy", "http"],
  ["modern", "http"],
  ["legacy", "in-memory"],
  ["modern", "in-memory"],
])("names that stay while things change (%s, %s)", (era, over) => {
  it("run only on the meant instance, ask once when nothing was replaced, and report each difference once", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        expect(await play(era, over, all)).toEqual([])
      }),
      { numRuns: 12 },
    )
  }, 60_000)
})
