import type { JsonValue } from "@x/base"
import type {
  BuiltInNames,
  CallFrame,
  ChangeFrame,
  ClientRow,
  Frame,
  LinkRow,
  NoteFrame,
  NoticeFrame,
  StartFrame,
  StateRow,
  ToolRow,
  ValueRow,
} from "./frame.js"
import { toCallerKey } from "./who.js"

/** The state of an adapter after the frames so far, as the live view draws it. */
export interface Picture {
  /** The first frame. */
  readonly start: StartFrame
  /** The time of the last frame; see `Stamped.at`. */
  readonly at: number
  /** The catalogue's revision. */
  readonly revision: number
  /** All tools by name, available or not. */
  readonly tools: ReadonlyMap<string, Shown<ToolRow>>
  /** The built-in tools, by exposure. */
  readonly builtIns: BuiltInNames
  /** The states by URI. */
  readonly states: ReadonlyMap<string, Shown<StateRow>>
  /** The links by path, joined with `/`. */
  readonly links: ReadonlyMap<string, Shown<LinkRow>>
  /** The newest calls by id, oldest first. */
  readonly calls: ReadonlyMap<string, CallFrame>
  /** The clients that listen for changes. */
  readonly clients: readonly ClientRow[]
  /** All callers, by the client as limits count it and its claimed name. */
  readonly callers: ReadonlyMap<string, Caller>
  /** Diagnostics, newest last. */
  readonly notes: readonly NoteFrame[]
  /** Notifications to clients, newest last. */
  readonly notices: readonly NoticeFrame[]
  /** How many calls were left out. */
  readonly skipped: number
  /** The total number of calls. */
  readonly called: number
  /** Increases whenever a tool, state or link is added, removed or redefined. */
  readonly listing: number
}

/** A row with its last change. */
export type Shown<Row> = Row & {
  /** The last change; absent if unchanged since the start. */
  readonly last?: Last
}

/** A change and its time. */
export interface Last {
  /** The kind of change. */
  readonly how: "appeared" | "vanished" | "redefined" | "replaced" | "changed"
  /** The time; see `Stamped.at`. */
  readonly at: number
  /** The value before a `changed` one, if values are shown. */
  readonly before?: JsonValue
}

/** A caller. */
export interface Caller {
  /** The newest call. */
  readonly last: CallFrame
  /** The number of calls. */
  readonly calls: number
}

/** Updates a picture in place, because it may be large and frames are frequent. */
export interface PictureKeeper {
  /** The picture; always the same object. */
  readonly picture: Picture
  /** Applies the next frame. */
  apply(frame: Frame): void
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** The most calls, callers, notes and notices kept. */
const KEPT = { calls: 500, callers: 200, others: 200 }

/**
 * Creates the picture of a start frame.
 *
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createPicture, record } from "@x/live-view"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const recorder = record(adapter)
 * await recorder.ready
 * await adapter.call("greet")
 * const recording = recorder.recording()
 * if (recording !== undefined) {
 *   const { picture, apply } = createPicture(recording.start)
 *   recording.frames.forEach(apply)
 *   console.log(picture.called, [...picture.tools.keys()]) // 1 [ 'greet' ]
 * }
 * recorder.close()
 * adapter.close()
 * ```
 */
export function createPicture(start: StartFrame): PictureKeeper {
  const tools = new Map<string, Shown<ToolRow>>(start.tools.map((tool) => [tool.name, tool]))
  const states = new Map<string, Shown<StateRow>>(start.states.map((state) => [state.uri, state]))
  const links = new Map<string, Shown<LinkRow>>(start.links.map((link) => [toKey(link.path), link]))
  const calls = new Map<string, CallFrame>()
  const callers = new Map<string, Caller>()
  const notes: NoteFrame[] = []
  const notices: NoticeFrame[] = []
  const picture: Writable<Picture> = {
    start,
    at: start.at,
    revision: start.revision,
    tools,
    builtIns: start.builtIns,
    states,
    links,
    calls,
    clients: start.clients,
    callers,
    notes,
    notices,
    skipped: 0,
    called: 0,
    listing: 0,
  }
  const parts = { picture, tools, states, links }
  for (const call of start.calls) applyCall({ picture, calls, callers }, call)
  return {
    picture,
    apply(frame) {
      picture.at = frame.at
      switch (frame.type) {
        case "start":
          return
        case "change":
          return applyChange(parts, frame)
        case "call":
          return applyCall({ picture, calls, callers }, frame)
        case "clients":
          picture.clients = frame.clients
          return
        case "note":
          return keep(notes, frame)
        case "notice":
          return keep(notices, frame)
        case "skipped":
          picture.skipped += frame.calls
          picture.called += frame.calls
      }
    },
  }
}

/** Returns a link's key. */
function toKey(path: readonly string[]): string {
  return path.join("/")
}

interface Parts {
  readonly picture: Writable<Picture>
  readonly tools: Map<string, Shown<ToolRow>>
  readonly states: Map<string, Shown<StateRow>>
  readonly links: Map<string, Shown<LinkRow>>
}

function applyChange(parts: Parts, frame: ChangeFrame): void {
  parts.picture.revision = frame.revision
  applyTools(parts, frame)
  applyStates(parts, frame)
  applyLinks(parts, frame)
  applyReplaced(parts, frame)
}

/** Marks the items of services whose identity has changed. */
function applyReplaced({ tools, states, links }: Parts, { at, replaced = [] }: ChangeFrame): void {
  if (replaced.length === 0) return
  const paths = new Set(replaced.map(toKey))
  const last: Last = { how: "replaced", at }
  for (const [name, row] of tools) if (paths.has(toKey(row.path))) tools.set(name, { ...row, last })
  for (const [uri, row] of states) if (paths.has(toKey(row.path))) states.set(uri, { ...row, last })
  for (const [key, row] of links) if (paths.has(key)) links.set(key, { ...row, last })
}

function applyTools(
  { picture, tools }: Parts,
  { at, quiet, put = [], back = [], away = [], reasons = [], builtIns, gone = [] }: ChangeFrame,
): void {
  if (put.length + back.length + away.length + gone.length > 0 || builtIns !== undefined) picture.listing += 1
  picture.builtIns = builtIns ?? picture.builtIns
  for (const row of put) {
    const before = tools.get(row.name)
    const how = toHow(before, row)
    tools.set(row.name, quiet ? row : { ...row, last: { how, at } })
  }
  const turn = (name: string, available: boolean, reason?: string): void => {
    const before = tools.get(name)
    if (before === undefined) return
    const { reason: _, last, ...rest } = before
    const how: Last["how"] = available ? "appeared" : "vanished"
    const now = before.available === available ? last : { how, at }
    tools.set(name, { ...rest, available, ...(reason !== undefined && { reason }), ...(now && { last: now }) })
  }
  for (const name of back) turn(name, true)
  for (const { name, reason } of [...away, ...reasons]) turn(name, false, reason)
  for (const name of gone) tools.delete(name)
}

function toHow(before: ToolRow | undefined, { available }: ToolRow): Last["how"] {
  if (before === undefined) return "appeared"
  if (before.available === available) return "redefined"
  return available ? "appeared" : "vanished"
}

function applyStates({ picture, states }: Parts, frame: ChangeFrame): void {
  const { at, quiet, revision, states: put = [], statesGone = [], values = [] } = frame
  if (put.length + statesGone.length > 0) picture.listing += 1
  for (const row of put) {
    const how = states.has(row.uri) ? "redefined" : "appeared"
    states.set(row.uri, quiet ? row : { ...row, last: { how, at } })
  }
  for (const uri of statesGone) states.delete(uri)
  for (const row of values) {
    const before = states.get(row.uri)
    if (before !== undefined) states.set(row.uri, { ...toChanged(before, row), revision, last: toLast(before, at) })
  }
}

function toChanged({ value: _, cut: __, ...rest }: Shown<StateRow>, { value, cut }: ValueRow): StateRow {
  return { ...rest, changes: rest.changes + 1, ...(value !== undefined && { value }), ...(cut && { cut }) }
}

function toLast({ value }: StateRow, at: number): Last {
  return { how: "changed", at, ...(value !== undefined && { before: value }) }
}

function applyLinks({ picture, links }: Parts, { at, quiet, links: put = [], linksGone = [] }: ChangeFrame): void {
  if (put.length + linksGone.length > 0) picture.listing += 1
  for (const row of put) {
    const key = toKey(row.path)
    const how = links.has(key) ? "redefined" : "appeared"
    links.set(key, quiet ? row : { ...row, last: { how, at } })
  }
  for (const path of linksGone) links.delete(toKey(path))
}

interface CallParts {
  readonly picture: Writable<Picture>
  readonly calls: Map<string, CallFrame>
  readonly callers: Map<string, Caller>
}

function applyCall({ picture, calls, callers }: CallParts, call: CallFrame): void {
  const isNew = !calls.has(call.id)
  calls.set(call.id, call)
  if (!isNew) return
  picture.called += 1
  const key = toCallerKey(call)
  const before = callers.get(key)
  callers.delete(key)
  callers.set(key, { last: call, calls: (before?.calls ?? 0) + 1 })
  forgetFirst(calls, KEPT.calls)
  forgetFirst(callers, KEPT.callers)
}

function forgetFirst(map: Map<string, unknown>, kept: number): void {
  for (const key of map.keys()) {
    if (map.size <= kept) return
    map.delete(key)
  }
}

function keep<Item>(list: Item[], item: Item): void {
  list.push(item)
  if (list.length > 2 * KEPT.others) list.splice(0, KEPT.others)
}
