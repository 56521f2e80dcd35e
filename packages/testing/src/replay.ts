import { isRecord } from "@x/base"
import {
  type CallFrame,
  type ChangeFrame,
  createPicture,
  type Frame,
  parseRecording,
  type Recording,
  record,
  type StartFrame,
} from "@x/live-view"
import { type AdapterSource, type CallAnswer, createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { TestingError } from "./testing-error.js"

/** Options of a replay. */
export interface ReplayOptions {
  /** Causes a change in the application that no recorded call caused. Default: none, so changes from elsewhere are missing. */
  readonly emit?: (change: ChangeFrame) => void | Promise<void>
  /** How long to wait for a call, list or notice of the recording, in milliseconds. Default 5,000. */
  readonly patienceMs?: number
}

/** The result of a replay. */
export interface Replayed {
  /**
   * Whether lists and outcomes are equal and in the same order, and each notice came equally often. Notices of different kinds
   * have separate windows, so their order is no promise.
   */
  readonly same: boolean
  /** Describes the first difference, if any. */
  readonly difference?: string
  /** The recorded course. */
  readonly recorded: Course
  /** The replayed course. */
  readonly replayed: Course
}

/** Everything that clients could see, in order. */
export interface Course {
  /** The names of the available tools, at the start and after each change. */
  readonly lists: readonly (readonly string[])[]
  /** Notifications to clients: their kind, with the URI for states. */
  readonly notices: readonly string[]
  /** The outcome of each call, in order of their start: `add ok`, `off failed not_available`. */
  readonly outcomes: readonly string[]
}

/**
 * Replays a recording as a test. It repeats the calls on a new service, in the order of their starts and ends, with concurrent
 * calls replayed concurrently, and compares what clients could see. Questions to a person are accepted.
 *
 * @param file - A recording or its text, recorded with `show: { arguments: true }`, because calls need their arguments.
 * @param service - A service with the same state as at the recording's start.
 * @throws LiveViewError `invalid_recording`; TestingError `unexpected` for a recording without arguments.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { record } from "@x/live-view"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { replay } from "@x/testing"
 *
 * const createDoor = () =>
 *   createAgenticService({ name: "door", actions: { greet: action({ description: "Greets", execute: () => {} }) } })
 * const adapter = createMcpAdapter(createDoor())
 * const recorder = record(adapter, { show: true })
 * await recorder.ready
 * await adapter.call("greet")
 * console.log((await replay(recorder.toText(), createDoor())).same) // true
 * recorder.close()
 * adapter.close()
 * ```
 */
export async function replay(
  file: string | Recording,
  service: AdapterSource,
  options: ReplayOptions = {},
): Promise<Replayed> {
  const recording = typeof file === "string" ? parseRecording(file) : file
  if (!recording.start.show.arguments)
    throw new TestingError("the recording has no arguments: record it with show: { arguments: true }", {
      code: "unexpected",
    })
  const adapter = createMcpAdapter(service)
  const principal = principalOf(recording.start)
  const recorder = record(adapter, { show: { arguments: true }, ...(principal && { principal }) })
  const unwatch = watch(adapter, recording)
  try {
    await recorder.ready
    const so = (): Course => toCourse(recorder.recording() ?? { start: recording.start, frames: [] })
    await play(recording, { adapter, so, options })
    const recorded = toCourse(recording)
    const difference = compare(recorded, so())
    return { same: difference === undefined, ...(difference !== undefined && { difference }), recorded, replayed: so() }
  } finally {
    recorder.close()
    unwatch()
    adapter.close()
  }
}

/** Watches the states that clients subscribed to during the recording, because unwatched states cause no notices. */
function watch(adapter: McpAdapter, { start, frames }: Recording): () => void {
  const uris = new Set(frames.flatMap((frame) => (frame.type === "notice" ? (frame.uri ?? []) : [])))
  const { view, release } = adapter.core.open(principalOf(start))
  const unwatch = view.watch([...uris])
  return () => {
    unwatch()
    release()
  }
}

interface Stage {
  readonly adapter: McpAdapter
  /** Returns the course so far. */
  readonly so: () => Course
  readonly options: ReplayOptions
}

/** Processes the frames: starts each call, and waits for each recorded change before it continues. */
async function play({ start, frames }: Recording, stage: Stage): Promise<void> {
  const { patienceMs = 5_000, emit } = stage.options
  const calls = createCalls(stage.adapter, patienceMs)
  const isOfCall = findChangesOfCalls(frames)
  for (const [index, frame] of frames.entries()) {
    if (frame.type === "call") await calls.follow(frame)
    if (frame.type === "change" && !calls.isOpen() && !isOfCall(frame)) await emit?.(frame)
    if (frame.type === "change" || frame.type === "notice") {
      const due = toCourse({ start, frames: frames.slice(0, index + 1) })
      await until(patienceMs, () => hasCome(stage.so(), due))
    }
  }
  await calls.end()
  // Surplus notices arrive within the window that delays notices.
  await new Promise((resolve) => setTimeout(resolve, WINDOW))
}

/** Repeats the calls of a recording. */
function createCalls(adapter: McpAdapter, patienceMs: number) {
  const begun = new Map<string, Promise<unknown>>()
  const open = new Set<string>()
  const caller = createCaller(adapter)
  return {
    /** Starts a call at its first frame, and waits for its end at its last. */
    async follow(frame: CallFrame): Promise<void> {
      const { id, duration } = frame
      if (!begun.has(id)) {
        begun.set(id, caller(frame))
        open.add(id)
      }
      if (duration === undefined) return
      await within(patienceMs, begun.get(id))
      open.delete(id)
    },
    /** Whether any call is running. */
    isOpen: (): boolean => open.size > 0,
    async end(): Promise<void> {
      await Promise.all([...begun.values()].map((call) => within(patienceMs, call)))
    },
  }
}

/** Returns a function that says whether a call caused a change, by the recorded revisions. */
function findChangesOfCalls(frames: readonly Frame[]): (change: ChangeFrame) => boolean {
  const calls = new Map(frames.flatMap((frame) => (frame.type === "call" ? [[frame.id, frame] as const] : [])))
  return ({ revision }) =>
    [...calls.values()].some(
      ({ before, after }) => before !== undefined && after !== undefined && before < revision && revision <= after,
    )
}

/** Returns the principal whose view was recorded. */
function principalOf({ principal }: StartFrame): { readonly id: string } | undefined {
  return principal === undefined ? undefined : { id: principal }
}

/** Longer than the window that delays notices, in milliseconds. */
const WINDOW = 120

/** Calls as the recorded callers did, and accepts a call's questions when it is repeated. */
function createCaller({ call }: McpAdapter): (frame: CallFrame) => Promise<unknown> {
  const asked = new Map<string, Promise<CallAnswer>>()
  return async ({ name, args, client, principal, leg }) => {
    const given = isRecord(args) ? args : {}
    const key = JSON.stringify([client, name, given])
    const earlier = await asked.get(key)
    const answers = earlier?.kind === "asked" ? accept(earlier) : {}
    const answer = call(name, given, {
      client,
      ...(principal !== undefined && { principal: { id: principal } }),
      leg: { ...leg, notices: false },
      clientCapabilities: { elicitation: { form: {} } },
      ...answers,
    })
    asked.set(key, answer)
    return answer
  }
}

/** Returns answers that accept everything. */
function accept({ questions, state }: Extract<CallAnswer, { readonly kind: "asked" }>) {
  const yes = Object.entries(questions).map(([key, { schema }]) => {
    const properties = isRecord(schema) && isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : []
    const flags = properties.filter(([, property]) => isRecord(property) && property["type"] === "boolean")
    return [key, { action: "accept", content: Object.fromEntries(flags.map(([name]) => [name, true])) }] as const
  })
  return { requestState: state, inputResponses: Object.fromEntries(yes) }
}

/** Returns everything that clients could see in a recording. */
function toCourse({ start, frames }: Recording): Course {
  const keeper = createPicture(start)
  const list = (): readonly string[] =>
    [...keeper.picture.tools.values()].flatMap(({ name, available }) => (available ? [name] : [])).sort()
  const lists = [list()]
  for (const frame of frames) {
    keeper.apply(frame)
    const now = frame.type === "change" ? list() : []
    if (frame.type === "change" && now.join() !== lists.at(-1)?.join()) lists.push(now)
  }
  const notices = frames.flatMap((frame) =>
    frame.type === "notice" ? [`${frame.kind} ${frame.uri ?? ""}`.trim()] : [],
  )
  const calls = frames.flatMap((frame) => (frame.type === "call" ? [frame] : []))
  const outcomes = new Map(calls.map(({ id, name, status, code = "" }) => [id, `${name} ${status} ${code}`.trim()]))
  return { lists, notices, outcomes: [...outcomes.values()] }
}

/** Whether the replay has reached a moment of the recording. */
function hasCome(so: Course, due: Course): boolean {
  const counts = countNotices(so)
  const noticed = [...countNotices(due)].every(([notice, count]) => (counts.get(notice) ?? 0) >= count)
  return noticed && so.lists.length >= due.lists.length
}

function compare(recorded: Course, replayed: Course): string | undefined {
  for (const what of ["outcomes", "lists"] as const) {
    const [before, now] = [recorded[what], replayed[what]]
    for (let index = 0; index < Math.max(before.length, now.length); index += 1) {
      const [was, is] = [before[index], now[index]].map((each) =>
        each === undefined ? "nothing" : JSON.stringify(each),
      )
      if (was !== is) return `${what}, number ${index + 1}: recorded ${was}, replayed ${is}`
    }
  }
  const [before, now] = [countNotices(recorded), countNotices(replayed)]
  for (const notice of new Set([...before.keys(), ...now.keys()])) {
    const [was, is] = [before.get(notice) ?? 0, now.get(notice) ?? 0]
    if (was !== is) return `notices "${notice}": recorded ${was}, replayed ${is}`
  }
  return undefined
}

/** Counts each notice. */
function countNotices({ notices }: Course): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const notice of notices) counts.set(notice, (counts.get(notice) ?? 0) + 1)
  return counts
}

/** Waits for a call with a time limit. The comparison reports missing results. */
async function within(milliseconds: number, promise: Promise<unknown> | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([promise, over])
  clearTimeout(timer)
}

async function until(milliseconds: number, holds: () => boolean): Promise<void> {
  const end = performance.now() + milliseconds
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 2))
}
