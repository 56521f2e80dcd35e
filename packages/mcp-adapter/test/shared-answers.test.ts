import { type AgenticService, action, createAgenticService } from "@x/agentic-service"
import { createDeferred, type JsonValue } from "@x/base"
import { type CollectionOptions, createMemoryRecords, type RecordCollection, type RecordStore } from "@x/records"
import { describe, expect, it, onTestFinished } from "vitest"
import { type CallAnswer, createMcpAdapter, type McpAdapter } from "../src/index.js"

const secret = new Uint8Array(32).fill(5)
const QUESTIONS = { secret, answeredBy: "any" } as const
const context = {
  leg: { transport: "http", era: "modern", notices: false } as const,
  clientCapabilities: { elicitation: {} },
}
const accepted = { _confirm: { action: "accept", content: { confirm: true } } }

interface Held {
  /** Runs until the test lets it end. */
  readonly hold: () => Promise<void> | void
}

/** A service whose action asks, and counts its runs in all processes. */
function createVault(runs: string[], name: string, { hold = () => {} }: Partial<Held> = {}): AgenticService {
  return createAgenticService({
    name: "vault",
    id: "vault-1",
    actions: {
      empty: action({ description: "d", confirm: () => "Empty it?", execute: () => void runs.push(name) }),
      hold: action({ description: "d", execute: () => hold() }),
    },
  })
}

/** Starts an adapter, as one of several processes that share records. */
function start(runs: string[], records: RecordStore | undefined, name = "one"): McpAdapter {
  const questions = { ...QUESTIONS, ...(records && { records }) }
  const adapter = createMcpAdapter(createVault(runs, name), { questions })
  onTestFinished(() => adapter.close())
  return adapter
}

async function ask(adapter: McpAdapter): Promise<string> {
  const asked = await adapter.call("empty", {}, context)
  if (asked.kind !== "asked") throw new Error(`expected a question, found ${asked.kind}`)
  return asked.state
}

const answer = (adapter: McpAdapter, requestState: string): Promise<CallAnswer> =>
  adapter.call("empty", {}, { ...context, requestState, inputResponses: accepted })

const codeOf = (answered: CallAnswer): unknown =>
  answered.kind === "settled" && (answered.outcome.ok ? "ran" : answered.outcome.code)

describe("answers in a shared record store", () => {
  it("run once in all processes, however often they are delivered", async () => {
    const runs: string[] = []
    const records = createMemoryRecords()
    const all = ["one", "two", "three"].map((name) => start(runs, records, name))
    const state = await ask(start(runs, records))

    const answered = await Promise.all([...all, ...all].map((adapter) => answer(adapter, state)))

    expect(runs).toHaveLength(1)
    // The process that ran gives its result to both deliveries.
    expect(answered.map(codeOf).sort()).toEqual(["ran", "ran", ...Array(4).fill("ran_already")])
  })

  it("run once in each process without such a store", async () => {
    const runs: string[] = []
    const state = await ask(start(runs, undefined))
    for (const name of ["two", "three"]) await answer(start(runs, undefined, name), state)

    expect(runs).toEqual(["two", "three"])
  })

  it("do not run again after a restart", async () => {
    const runs: string[] = []
    const records = createMemoryRecords()
    const first = start(runs, records)
    const state = await ask(first)
    await answer(first, state)
    await first.close()

    expect(codeOf(await answer(start(runs, records), state))).toBe("ran_already")
    expect(runs).toEqual(["one"])
  })

  it("run nothing while the store fails, and are reported", async () => {
    const runs: string[] = []
    const records = createMemoryRecords()
    const adapter = start(runs, records)
    const reported: string[] = []
    adapter.events.subscribe((event) => {
      if (event.type === "diagnostic") reported.push(`${event.diagnostic.code}: ${event.diagnostic.message}`)
    })
    const state = await ask(adapter)
    await records.close()

    expect(codeOf(await answer(adapter, state))).toBe("busy")
    expect(runs).toEqual([])
    expect(reported).toEqual([
      "records_unavailable: an answer cannot be claimed, so its action does not run: the record store is closed: close it after everything that uses it",
    ])
  })

  it("run when they are delivered again after a claim whose confirmation was lost", async () => {
    const runs: string[] = []
    const records = createMemoryRecords()
    const adapter = start(runs, loseFirstConfirmation(records))
    adapter.events.subscribe()
    const state = await ask(adapter)

    const answered = [await answer(adapter, state), await answer(adapter, state), await answer(adapter, state)]

    expect(answered.map(codeOf)).toEqual(["busy", "ran", "ran"])
    expect(runs).toEqual(["one"])
  })

  it("do not run elsewhere after a claim whose confirmation was lost", async () => {
    const runs: string[] = []
    const records = createMemoryRecords()
    const adapter = start(runs, loseFirstConfirmation(records))
    adapter.events.subscribe()
    const state = await ask(adapter)
    await answer(adapter, state)

    expect(codeOf(await answer(start(runs, records, "two"), state))).toBe("ran_already")
    expect(runs).toEqual([])
  })

  it("are refused once a client's share of claims is full", async () => {
    const runs: string[] = []
    const records = createMemoryRecords()
    const questions = { ...QUESTIONS, records, remembered: 1 }
    const adapter = createMcpAdapter(createVault(runs, "one"), { questions })
    onTestFinished(() => adapter.close())
    const states = [await ask(adapter), await ask(adapter)]

    const answered = [await answer(adapter, states[0] ?? ""), await answer(adapter, states[1] ?? "")]

    expect(answered.map(codeOf)).toEqual(["ran", "busy"])
  })

  it("may be used again if nothing ran", async () => {
    const runs: string[] = []
    const records = createMemoryRecords()
    const held = createDeferred()
    const vault = createVault(runs, "full", { hold: () => held.promise })
    const full = createMcpAdapter(vault, { calls: { running: 1, waiting: 0 }, questions: { ...QUESTIONS, records } })
    onTestFinished(() => full.close())
    const state = await ask(full)
    const holding = full.call("hold", {}, context)

    const refused = await answer(full, state)
    const ran = await answer(start(runs, records, "two"), state)
    held.resolve()
    await holding

    expect([codeOf(refused), codeOf(ran), runs]).toEqual(["busy", "ran", ["two"]])
  })
})

/** Writes the first record, and then fails as a store does whose network broke. */
function loseFirstConfirmation(records: RecordStore): RecordStore {
  let lost = false
  return {
    ...records,
    collection<Value extends JsonValue>(options: CollectionOptions): RecordCollection<Value> {
      const collection = records.collection<Value>(options)
      return {
        ...collection,
        async create(key, value, more) {
          const made = await collection.create(key, value, more)
          if (lost) return made
          lost = true
          throw new Error("connection reset")
        },
      }
    },
  }
}
