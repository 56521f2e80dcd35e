import type { Outcome } from "@x/agentic-service"
import type { AdapterEvent, Diff } from "@x/mcp-adapter"
import type { Changes } from "@x/mcp-adapter/binding"
import type { CallFrame, Shows } from "./frame.js"
import { type Room, takeJson } from "./take-json.js"

/** An event that is about a call. */
export type CallEvent = Exclude<Extract<AdapterEvent, { readonly id: string }>, { readonly type: "call-caught-up" }>

/** The newest calls, each as far as it has come. */
export interface CallLog {
  /** Takes in what happened to a call. */
  note(event: CallEvent, at: number): void
  /** Takes in what became other: it belongs to the calls that run, and to those that have just been answered. */
  attribute(diff: Diff, at: number): void
  /** Whether what becomes other belongs to any call. */
  waits(at: number): boolean
  /** The calls that are other than when they were last taken, oldest first, and how many were left out. */
  take(): { readonly calls: readonly CallFrame[]; readonly skipped: number }
  /** The newest calls, oldest first. */
  newest(): readonly CallFrame[]
}

/** How much is kept, and shown. */
export interface CallLogOptions {
  /** What is shown of them. */
  readonly shows: Shows
  /** How much of each value. */
  readonly room: Room
  /** How many calls are kept. */
  readonly kept: number
  /** How many are told at once; of more, the newest. */
  readonly most: number
}

/** No call was seen yet. */
export function createCallLog(options: CallLogOptions): CallLog {
  const { kept, most } = options
  const known = new Map<string, CallFrame>()
  const changed = new Set<string>()
  const running = new Set<string>()
  let settled: { readonly id: string; readonly at: number }[] = []
  const put = (call: CallFrame): void => {
    known.set(call.id, call)
    changed.add(call.id)
    if (known.size <= kept) return
    for (const [id] of known) {
      known.delete(id)
      if (known.size <= kept) return
    }
  }
  return {
    note(event, at) {
      const before = known.get(event.id)
      if (event.type === "call-started") running.add(event.id)
      else if (running.delete(event.id) && mayHaveRun(event))
        settled = [...settled.slice(-MOST_SETTLED), { id: event.id, at }]
      put(toCallFrame(event, before, { at, options }))
    },
    waits: (at) => running.size > 0 || settled.some((call) => at - call.at <= GRACE),
    attribute(diff, at) {
      const ids = [...running, ...settled.filter((call) => at - call.at <= GRACE).map(({ id }) => id)]
      settled = []
      // With many at once nobody could tell whose it is.
      if (ids.length === 0 || ids.length > MOST_SETTLED) return
      const names = toNames(diff)
      if (names.length === 0) return
      for (const id of ids) {
        const call = known.get(id)
        if (call !== undefined) put(withChanges(call, names, at))
      }
    },
    take() {
      const ids = [...changed]
      changed.clear()
      const calls = ids.slice(-most).flatMap((id) => known.get(id) ?? [])
      return { calls, skipped: Math.max(0, ids.length - most) }
    },
    newest: () => [...known.values()],
  }
}

/** How long after its answer a change still belongs to a call, in milliseconds: changes are told at the end of their task. */
const GRACE = 100
/** Whether a call can have changed anything: what was refused before it ran cannot. */
function mayHaveRun(event: CallEvent): boolean {
  if (event.type !== "call-settled") return event.type !== "call-asked"
  return event.outcome.ok || !REFUSED.includes(event.outcome.code ?? "")
}

const REFUSED = ["invalid_input", "not_available", "busy", "closed", "declined", "undecided"]
const MOST_SETTLED = 20
const MOST_NAMES = 12

interface Told {
  readonly at: number
  readonly options: CallLogOptions
}

function toCallFrame(event: CallEvent, before: CallFrame | undefined, { at, options }: Told): CallFrame {
  const { id, name, client, principal, leg } = event
  const base: CallFrame = {
    type: "call",
    at,
    id,
    name,
    client,
    ...(principal && { principal: principal.id }),
    leg: { transport: leg.transport, era: leg.era },
    status: "running",
    began: before?.began ?? at,
    ...(before?.changed && { changed: before.changed }),
    ...(before?.changedMore !== undefined && { changedMore: before.changedMore }),
    ...toArgs(event, before, options),
  }
  switch (event.type) {
    case "call-started":
      return base
    case "call-asked":
      return { ...base, status: "asked", duration: event.duration }
    case "call-stuck":
      return { ...base, status: "stuck" }
    case "call-late":
      return { ...base, status: "late" }
    case "call-settled":
      return { ...base, duration: event.duration, ...toResult(event.outcome, options, base.cut) }
  }
}

type Valued = Pick<CallFrame, "args" | "cut">

function toArgs(event: CallEvent, before: CallFrame | undefined, { shows, room }: CallLogOptions): Valued {
  if (!shows.arguments) return {}
  if (before?.args !== undefined) return { args: before.args, ...(before.cut && { cut: true }) }
  if (!("args" in event)) return {}
  const { json, cut } = takeJson(event.args, room)
  return { args: json, ...(cut && { cut }) }
}

function toResult(
  outcome: Outcome,
  { shows, room }: CallLogOptions,
  cutBefore: true | undefined,
): Pick<CallFrame, "status" | "result" | "code" | "cut"> {
  const told = outcome.ok ? (outcome.value ?? outcome.content) : outcome.message
  const taken = shows.results && told !== undefined ? takeJson(told, room) : undefined
  const cut = taken?.cut ?? cutBefore
  return {
    status: outcome.ok ? "ok" : "failed",
    ...(!outcome.ok && { code: outcome.code ?? "action_failed" }),
    ...(taken && { result: taken.json }),
    ...(cut && { cut }),
  }
}

function withChanges(call: CallFrame, names: readonly string[], at: number): CallFrame {
  const all = [...(call.changed ?? [])]
  let more = call.changedMore ?? 0
  for (const name of names) {
    if (all.includes(name)) continue
    if (all.length < MOST_NAMES) all.push(name)
    else more += 1
  }
  return { ...call, at, changed: all, ...(more > 0 && { changedMore: more }) }
}

/** What became other, in a word each. */
function toNames({ tools, links, states, values }: Diff): readonly string[] {
  const nameOf = (entry: { readonly definition: { readonly name: string } }): string => entry.definition.name
  return [
    ...toSigned(tools, ({ name }) => name),
    ...toSigned(links, ({ path }) => path.join("/")),
    ...toSigned(states, nameOf),
    ...values.map((entry) => `~${nameOf(entry)}`),
  ]
}

function toSigned<Entry>(changes: Changes<Entry>, nameOf: (entry: Entry) => string): readonly string[] {
  const { appeared, vanished, redefined } = changes
  return [
    ...appeared.map((entry) => `+${nameOf(entry)}`),
    ...vanished.map((entry) => `-${nameOf(entry)}`),
    ...redefined.map((entry) => `~${nameOf(entry)}`),
  ]
}
