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
import { isRecord } from "@x/tool-schemas/json"
import { TestingError } from "./testing-error.js"

/** How a recording is played again. */
export interface ReplayOptions {
  /**
   * Brings about, in the application, a change that no call brought about when it was recorded. Default: nothing does, so what
   * came from elsewhere is missing.
   */
  readonly emit?: (change: ChangeFrame) => void | Promise<void>
  /** How long a call, a list or a notice of the recording is waited for, in milliseconds. Default 5,000. */
  readonly patienceMs?: number
}

/** What came of playing a recording again. */
export interface Replayed {
  /** Whether lists and notices came as they were recorded, in the same order. */
  readonly same: boolean
  /** What differs first, in words; absent where nothing does. */
  readonly difference?: string
  /** What was recorded. */
  readonly recorded: Course
  /** What came this time. */
  readonly replayed: Course
}

/** What clients could see, in order. */
export interface Course {
  /** The names of the tools that could be called, at first and after each change of them. */
  readonly lists: readonly (readonly string[])[]
  /** What clients were told: the kind, and of a state its URI. */
  readonly notices: readonly string[]
  /** What came of each call, in the order in which they began: `add ok`, `off failed not_available`. */
  readonly outcomes: readonly string[]
}

/**
 * Plays a recording again as a test: makes its calls on a new service, in the order in which they began and ended, those that
 * ran at once at once again, and compares what clients could see and were told. What the calls asked a person is accepted.
 *
 * @param file - The text of a recording, or one; made with `show: { arguments: true }`, or there is nothing to call with.
 * @param service - A service in the state that the recorded one began with.
 * @throws LiveViewError `invalid_recording`; TestingError `unexpected` for one that holds no arguments.
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
    throw new TestingError("unexpected", "the recording holds no arguments: make it with show: { arguments: true }")
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

/** Follows the states that clients followed when it was recorded: who nobody follows, nobody is told of. */
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
  /** What has come so far. */
  readonly so: () => Course
  readonly options: ReplayOptions
}

/** Goes through the frames: begins what began there, and waits for what had come there before it goes on. */
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
  // What is told too much comes within the window that notices are held back for.
  await new Promise((resolve) => setTimeout(resolve, WINDOW))
}

/** The calls of a recording, made again. */
function createCalls(adapter: McpAdapter, patienceMs: number) {
  const begun = new Map<string, Promise<unknown>>()
  const open = new Set<string>()
  const caller = createCaller(adapter)
  return {
    /** Makes a call where it began, and waits for it where it had ended. */
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
    /** Whether any runs. */
    isOpen: (): boolean => open.size > 0,
    async end(): Promise<void> {
      await Promise.all([...begun.values()].map((call) => within(patienceMs, call)))
    },
  }
}

/** Tells whether a change came between the beginning and the answer of a call: the recording has the revisions. */
function findChangesOfCalls(frames: readonly Frame[]): (change: ChangeFrame) => boolean {
  const calls = new Map(frames.flatMap((frame) => (frame.type === "call" ? [[frame.id, frame] as const] : [])))
  return ({ revision }) =>
    [...calls.values()].some(
      ({ before, after }) => before !== undefined && after !== undefined && before < revision && revision <= after,
    )
}

/** The principal whose view was recorded. */
function principalOf({ principal }: StartFrame): { readonly id: string } | undefined {
  return principal === undefined ? undefined : { id: principal }
}

/** More than notices are held back for, in milliseconds. */
const WINDOW = 120

/** Calls as the recorded callers did, and accepts what a call asks when it comes again. */
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

/** The answers of a person who agrees to everything. */
function accept({ questions, state }: Extract<CallAnswer, { readonly kind: "asked" }>) {
  const yes = Object.entries(questions).map(([key, { schema }]) => {
    const properties = isRecord(schema) && isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : []
    const flags = properties.filter(([, property]) => isRecord(property) && property["type"] === "boolean")
    return [key, { action: "accept", content: Object.fromEntries(flags.map(([name]) => [name, true])) }] as const
  })
  return { requestState: state, inputResponses: Object.fromEntries(yes) }
}

/** What clients could see in a recording. */
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

/** Whether as much has come as was there at one moment of the recording. */
function hasCome(so: Course, due: Course): boolean {
  return so.lists.length >= due.lists.length && so.notices.length >= due.notices.length
}

function compare(recorded: Course, replayed: Course): string | undefined {
  for (const what of ["outcomes", "lists", "notices"] as const) {
    const [before, now] = [recorded[what], replayed[what]]
    for (let index = 0; index < Math.max(before.length, now.length); index += 1) {
      const [was, is] = [before[index], now[index]].map((each) =>
        each === undefined ? "nothing" : JSON.stringify(each),
      )
      if (was !== is) return `${what}, number ${index + 1}: recorded was ${was}, now came ${is}`
    }
  }
  return undefined
}

/** Waits for a call, but not for ever: what did not come is found by the comparison. */
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
