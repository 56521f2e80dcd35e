import type { Client } from "@modelcontextprotocol/client"
import { vi } from "vitest"
import { createClient, type Era } from "../../../../packages/mcp-adapter/test/support/clients.js"
import { PATIENCE_MS } from "./patience.js"
import { createSeat, type Seat } from "./seat.js"
import { STAGES, type Stage } from "./stages.js"
import { type Life, PEOPLE, type Person, SLOTS, type Step } from "./steps.js"
import { createTold, type Told } from "./told.js"
import { createWorld, type World } from "./world.js"

/** A way between clients and applications. */
export type WayName = keyof typeof STAGES

/** A person, their client and the application. */
interface Table {
  readonly person: Person
  readonly world: World
  readonly seat: Seat
  readonly told: Told
  client: Client
  holding: boolean
  /** Whether the server has looked up the name of the call that takes the only turn. */
  reached: boolean
}

/** Plays a life. Returns all contradictions to the application's records. */
export async function play(way: WayName, era: Era, life: Life): Promise<string[]> {
  const { follows, steps } = life
  const worlds = { ann: createWorld("ann", life), bob: createWorld("bob", life) }
  const stage = await STAGES[way]({
    ...{ era, answeredBy: life.answeredBy },
    rootOf: (person) => worlds[person].root,
    arrived(person, name) {
      if (name.endsWith("hold")) tables[person].reached = true
      else tables[person].seat.noteArrival()
    },
  })
  const { names } = stage
  const prepare = (person: Person): Table => {
    const world = worlds[person]
    const seat = createSeat({ person, world, names, vague: life.vague })
    const client = createClient(era, { elicitation: {} })
    return {
      world,
      seat,
      client,
      told: createTold({ person, world, seat, names }),
      person,
      ...{ holding: false, reached: false },
    }
  }
  const tables = { ann: prepare("ann"), bob: prepare("bob") }
  const site: Site = { stage, era, life, tables: PEOPLE.map((person) => tables[person]) }
  try {
    for (const table of site.tables) {
      await connect(table, site)
      await begin(table, site)
    }
    for (const step of steps) {
      if (step.do === "restart") await restart(step.who, site)
      else await take(step, tables[step.who], stage)
      for (const table of site.tables) await rest(table)
    }
    for (const table of site.tables) await finish(table, follows)
    return site.tables.flatMap(({ seat }) => seat.faults)
  } finally {
    for (const { client } of site.tables) await client.close()
    await stage.close()
  }
}

/** The parts of a life. */
interface Site {
  readonly stage: Stage
  readonly era: Era
  readonly life: Life
  readonly tables: readonly Table[]
}

async function connect({ seat, client, person }: Table, { stage }: Site): Promise<void> {
  seat.take(client)
  await stage.connect(person, client)
}

async function begin(table: Table, { stage, life }: Site): Promise<void> {
  await catchUp(table, stage)
  if (life.follows) await table.told.follow(table.client)
}

async function restart(person: Person, site: Site): Promise<void> {
  const { stage, life } = site
  const affected = site.tables.filter((table) => stage.shared || table.person === person)
  // Any process takes an answer about a thing whose author's id outlives the process.
  const outlives = stage.cuts === "streams" && life.ids && life.answeredBy === "any"
  for (const { seat } of affected) if (!outlives || !seat.isAsked()) seat.noteLost()
  await stage.restart(person)
  for (const table of affected) await resume(table, site)
}

async function resume(table: Table, site: Site): Promise<void> {
  const { stage, era } = site
  if (stage.cuts === "connection") {
    await table.client.close()
    table.client = createClient(era, { elicitation: {} })
    await connect(table, site)
  }
  if (stage.cuts === "nothing") await catchUp(table, stage)
  else await begin(table, site)
  if (stage.guesses) table.told.mayDiffer()
}

/** Steps that send a request. The server looks up names at once, in the middle of a task as well. */
const REQUESTS: ReadonlySet<Step["do"]> = new Set(["call", "look", "hold", "cancel"])

async function take(step: Step, table: Table, stage: Stage): Promise<void> {
  const { world, seat, client } = table
  if (REQUESTS.has(step.do)) world.settle()
  switch (step.do) {
    case "put":
      world.put(step.slot, step.how)
      break
    case "trade":
      world.trade()
      break
    case "near":
      if (stage.names.aliases) world.near(step.slot)
      break
    case "write":
      return world.write(step.slot)
    case "call":
      return seat.call(step.slot, step.kind)
    case "look":
      return seat.overhear(JSON.stringify(await client.listTools()))
    case "hold":
      return hold(table, stage)
    case "cancel":
      return seat.cancel()
    default:
      return goOn(table, step.do === "on")
  }
  seat.noteReplaced()
  await catchUp(table, stage)
}

/** Waits until clients can see a change that travels. */
async function catchUp({ world, client, seat }: Table, { names, travels }: Stage): Promise<void> {
  if (!travels) return
  await vi.waitFor(
    async () => {
      const { tools } = await client.listTools()
      seat.overhear(JSON.stringify(tools))
      for (const slot of SLOTS) {
        const doc = world.standing(slot)
        if (doc === undefined) continue
        const tool = tools.find(({ name }) => name === names.tool(slot, "wipe"))
        if (!names.aliases && tool?.description !== `Wipe, edition ${doc.edition}`)
          throw new Error(`the client lists ${String(tool?.description)} at ${slot}: expected edition ${doc.edition}`)
        const { contents } = await client.readResource({ uri: names.uri(slot, "stamp") })
        if (!JSON.stringify(contents).includes(`"${doc.stamp}"`))
          throw new Error(`the client reads ${JSON.stringify(contents)} at ${slot}: expected ${doc.stamp}`)
      }
    },
    { interval: 5, timeout: PATIENCE_MS },
  )
}

async function rest({ world, seat, holding }: Table): Promise<void> {
  const isFull = (): boolean => holding || !world.gates.run.isEmpty()
  await vi.waitFor(
    () => {
      if (!seat.rests(isFull())) throw new Error("the call does not settle")
    },
    { interval: 1, timeout: PATIENCE_MS },
  )
}

/** Takes the only turn, so that the next call has to wait. Resolves once the server has looked up the name. */
async function hold(table: Table, { names }: Stage): Promise<void> {
  if (table.holding || table.seat.isBusy()) return
  table.holding = true
  table.reached = false
  const end = (): void => {
    table.holding = false
  }
  table.client.callTool({ name: names.hold }).then(end, end)
  await vi.waitFor(
    () => {
      if (table.holding && !table.reached) throw new Error("the held turn's call does not arrive")
    },
    { interval: 1, timeout: PATIENCE_MS },
  )
}

function goOn({ world: { gates }, seat }: Table, yes: boolean): void {
  if (seat.isAsked()) seat.answer(yes)
  else [gates.check, gates.run, gates.hold].find((gate) => !gate.isEmpty())?.letOn()
}

/** Finishes everything, and compares the person's knowledge with the truth. */
async function finish(table: Table, follows: boolean): Promise<void> {
  const { seat, told, world } = table
  const { check, run, hold: held } = world.gates
  await vi.waitFor(
    () => {
      goOn(table, true)
      const idle = [check, run, held].every((gate) => gate.isEmpty())
      if (seat.isBusy() || table.holding || !idle) throw new Error("a call does not end")
    },
    { interval: 1, timeout: PATIENCE_MS },
  )
  seat.judge()
  if (follows) await told.judge()
}
