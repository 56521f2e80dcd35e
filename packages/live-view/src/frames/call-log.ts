import type { Outcome } from "@x/agentic-service"
import { cutText } from "@x/base"
import type { AdapterEvent, Diff, ToolEntry } from "@x/mcp-adapter"
import { type Changes, toClientLabel, type View } from "@x/mcp-adapter/binding"
import type { CallFrame, Shows } from "./frame.js"
import { toInfoRow } from "./rows.js"
import { type Room, takeJson } from "./take-json.js"

/** An event about a call. */
export type CallEvent = Extract<AdapterEvent, { readonly id: string }>

/** The newest calls with their current status. */
export interface CallLog {
  /**
   * Reads everything about an event that must be read at once.
   *
   * @param seen - Whether anybody watches. Only then are the changes during the call computed.
   * @returns The event and the read data, to be applied at any later time.
   */
  note(event: CallEvent, seen: boolean): NotedCall
  /** Applies a noted event, with the time when it was noted. */
  take(noted: NotedCall, at: number): void
  /** Applies the newest progress of a call that goes on as a task. */
  progress(id: string, words: string, at: number): void
  /** Whether the log still contains a call. */
  has(id: string): boolean
  /** Returns the calls that have changed since the last call of this method, oldest first, and how many were left out. */
  takeChanged(): { readonly calls: readonly CallFrame[]; readonly skipped: number }
  /** Returns the newest calls, oldest first. */
  newest(): readonly CallFrame[]
}

/** Options of the call log. */
export interface CallLogOptions {
  /** The view of the calls, which reports the changes during a call. */
  readonly view: Pick<View, "revision" | "diffSince">
  /** Returns a tool's name in the view. */
  readonly nameOf: (entry: ToolEntry) => string
  /** The parts of calls to show. */
  readonly shows: Shows
  /** The size limit of each value. */
  readonly room: Room
  /** The most calls kept. */
  readonly kept: number
  /** The most calls reported at once; the newest win. */
  readonly most: number
}

/** An event with simultaneous data of the view. */
export interface NotedCall {
  readonly event: CallEvent
  /** The view's revision. */
  readonly revision: number
  /** The changes since the call began, one short label each. */
  readonly changed: readonly string[]
}

/** Creates an empty log. */
export function createCallLog(options: CallLogOptions): CallLog {
  const { kept, most, view, nameOf } = options
  const known = new Map<string, CallFrame>()
  const changed = new Set<string>()
  /** The status of each kept call in its last reported frame. */
  const reported = new Map<string, CallFrame["status"]>()
  const running = new Map<string, number>()
  const put = (call: CallFrame): void => {
    known.set(call.id, call)
    changed.add(call.id)
    if (known.size <= kept) return
    for (const [id] of known) {
      known.delete(id)
      reported.delete(id)
      if (known.size <= kept) return
    }
  }
  const report = (call: CallFrame): CallFrame => {
    const again = reported.get(call.id) === call.status
    reported.set(call.id, call.status)
    return again ? { ...call, again } : call
  }
  const addTold = (before: CallFrame, { revision, changed: names }: NotedCall, at: number): void => {
    const isNews = names.some((name) => before.changed?.includes(name) !== true)
    if (isNews || before.after !== revision) put(withChanges({ ...before, after: revision }, names, at))
  }
  /** Returns the changes between the two revisions, as the catalogue reports them. */
  const changesOf = (event: CallEvent, revision: number): readonly string[] => {
    if (event.type === "call-caught-up") return toNames(event.diff, nameOf)
    const before = running.get(event.id)
    if (!mayHaveRun(event) || before === undefined || before === revision) return []
    // With many running calls, the diff would be expensive and say little.
    const diff = running.size <= MOST_RUNNING ? view.diffSince(before) : undefined
    return diff === undefined ? [] : toNames(diff, nameOf)
  }
  return {
    note(event, seen) {
      const revision = view.revision()
      if (event.type === "call-started") running.set(event.id, revision)
      const names = seen ? changesOf(event, revision) : []
      if (isOver(event)) running.delete(event.id)
      return { event, revision, changed: names }
    },
    take(noted, at) {
      const { event } = noted
      const before = known.get(event.id)
      if (event.type === "call-handed" && before?.after !== undefined) return
      if (event.type !== "call-caught-up") put(toCallFrame({ ...noted, event }, before, { at, options }))
      // A call that was dropped stays dropped.
      else if (before !== undefined) addTold(before, noted, at)
    },
    progress(id, words, at) {
      const before = known.get(id)
      if (options.shows.results && before?.status === "handed") put({ ...before, at, progress: words })
    },
    has: (id) => known.has(id) || running.has(id),
    takeChanged() {
      const ids = [...changed]
      changed.clear()
      const calls = ids
        .slice(-most)
        .flatMap((id) => known.get(id) ?? [])
        .map(report)
      return { calls, skipped: Math.max(0, ids.length - most) }
    },
    newest: () => [...known.values()],
  }
}

/** Whether an event ends a call. */
function isOver({ type }: CallEvent): boolean {
  return type === "call-settled" || type === "call-asked"
}

/** Whether a settled call may have changed anything. Calls rejected before they ran cannot. */
function mayHaveRun(event: CallEvent): boolean {
  if (event.type !== "call-settled") return false
  return event.outcome.ok || !REFUSED.includes(event.outcome.code ?? "")
}

const REFUSED = ["invalid_input", "not_available", "busy", "closed", "declined", "undecided", "changed"]
const MOST_RUNNING = 20
const MOST_NAMES = 12

type StageEvent = Exclude<CallEvent, { readonly type: "call-caught-up" }>

interface Told {
  readonly at: number
  readonly options: CallLogOptions
}

function toCallFrame(
  { event, revision, changed }: NotedCall & { readonly event: StageEvent },
  before: CallFrame | undefined,
  { at, options }: Told,
): CallFrame {
  const { id, name, info, principal, leg } = event
  const { before: revisionBefore = event.type === "call-started" ? revision : undefined } = before ?? {}
  const base: CallFrame = {
    type: "call",
    at,
    id,
    name,
    client: toClientLabel(event),
    ...(info && { info: toInfoRow(info) }),
    ...(principal && { principal: principal.id }),
    leg: { transport: leg.transport, era: leg.era },
    status: "running",
    began: before?.began ?? at,
    ...(revisionBefore !== undefined && { before: revisionBefore }),
    ...(before?.after !== undefined && { after: before.after }),
    ...(before?.changed && { changed: before.changed }),
    ...(before?.changedMore !== undefined && { changedMore: before.changedMore }),
    ...toArgs(event, before, options),
  }
  switch (event.type) {
    case "call-started":
      return base
    case "call-handed":
      return { ...base, status: "handed" }
    case "call-asked":
      return { ...base, status: "asked", ...toQuestions(event, options), duration: event.duration }
    case "call-stuck":
      return { ...base, status: "stuck" }
    case "call-late":
      return { ...base, status: "late" }
    case "call-settled": {
      const settled = {
        ...base,
        after: revision,
        duration: event.duration,
        ...toResult(event.outcome, options, base.cut),
      }
      return changed.length === 0 ? settled : withChanges(settled, changed, at)
    }
  }
}

type Valued = Pick<CallFrame, "args" | "cut">

function toArgs(event: StageEvent, before: CallFrame | undefined, { shows, room }: CallLogOptions): Valued {
  if (!shows.arguments) return {}
  if (before?.args !== undefined) return { args: before.args, ...(before.cut && { cut: true }) }
  if (!("args" in event)) return {}
  const { json, cut } = takeJson(event.args, room)
  return { args: json, ...(cut && { cut }) }
}

/** The most questions of one call that are shown. */
const MOST_QUESTIONS = 10

/** Returns the words of the questions. They may quote arguments, so they are shown only where arguments are. */
function toQuestions(
  { questions }: Extract<CallEvent, { readonly type: "call-asked" }>,
  { shows, room }: CallLogOptions,
): Pick<CallFrame, "questions"> {
  if (!shows.arguments || questions === undefined) return {}
  const words = Object.values(questions).map(({ message }) => cutText(message, room.chars))
  return { questions: words.slice(0, MOST_QUESTIONS) }
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
  return { ...call, at, ...(all.length > 0 && { changed: all }), ...(more > 0 && { changedMore: more }) }
}

/** Returns a short label for each change. */
function toNames({ tools, links, states, values }: Diff, toolName: CallLogOptions["nameOf"]): readonly string[] {
  const nameOf = (entry: { readonly definition: { readonly name: string } }): string => entry.definition.name
  return [
    ...toSigned(tools, toolName),
    ...toSigned(links, ({ path }) => path.join("/")),
    ...toSigned(states, nameOf),
    ...values.map((entry) => `~${nameOf(entry)}`),
    ...toReplaced([...tools.replaced, ...states.replaced, ...links.replaced]),
  ]
}

/** Returns a label for each service whose identity has changed, once per service. */
function toReplaced(entries: readonly { readonly path: readonly string[] }[]): readonly string[] {
  return [...new Set(entries.map(({ path }) => `~${path.length === 0 ? "the application" : path.join("/")}`))]
}

function toSigned<Entry>(changes: Changes<Entry>, nameOf: (entry: Entry) => string): readonly string[] {
  const { appeared, vanished, redefined } = changes
  return [
    ...appeared.map((entry) => `+${nameOf(entry)}`),
    ...vanished.map((entry) => `-${nameOf(entry)}`),
    ...redefined.map((entry) => `~${nameOf(entry)}`),
  ]
}
