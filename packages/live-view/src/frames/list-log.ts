import type { Diff, LinkEntry, StateEntry } from "@x/mcp-adapter"
import type { View } from "@x/mcp-adapter/binding"
import type { BuiltInNames, ChangeFrame, LinkRow, Shows, StateRow, ToolRow, ValueRow } from "./frame.js"
import { toLinkRow, toStateFacts } from "./rows.js"
import { type Room, takeJson } from "./take-json.js"
import { createToolLog, type ToolLog } from "./tool-log.js"

/** Tracks the lists of one view as they were last reported. */
export interface ListLog {
  /** Reads the complete lists, the base of later changes. */
  start(): ListStart
  /** Records a diff at a time. It may belong to a service that is only partly visible. */
  note(diff: Diff, revision: number, at: number): void
  /** Records a change of the known tools. */
  noteKnown(diff: Diff, at: number): void
  /** Requests a check of data that diffs do not report, such as reasons for unavailability. */
  look(at: number): void
  /** Returns the changes since the last report, with the time when they began, or `undefined` if there are none. */
  take(): ChangeFrame | undefined
  /** See {@link ToolLog.nameOf}. */
  readonly nameOf: ToolLog["nameOf"]
}

interface ListStart {
  readonly revision: number
  readonly tools: readonly ToolRow[]
  readonly builtIns: BuiltInNames
  readonly states: readonly StateRow[]
  readonly links: readonly LinkRow[]
}

/** Options of the list log. */
export interface ListLogOptions {
  readonly view: View
  /** Returns the built-in tools that are listed now. */
  readonly builtIns: () => BuiltInNames
  readonly shows: Shows
  /** The size limit of each value. */
  readonly room: Room
  /** The most values in one frame. */
  readonly mostValues: number
}

/** Creates a log that has reported nothing. */
export function createListLog(options: ListLogOptions): ListLog {
  const { view } = options
  const dirty = createDirty()
  const tools = createToolLog(view)
  const parts = createParts(options)
  let began: number | undefined
  // Changes without their diff yet are reported with it at the end of the task, and not in parts before.
  let toldUpTo = 0
  return {
    nameOf: tools.nameOf,
    start() {
      dirty.clear()
      began = undefined
      const snapshot = view.snapshot()
      toldUpTo = snapshot.revision
      return {
        tools: tools.start(snapshot.tools),
        builtIns: parts.startBuiltIns(),
        ...parts.start(snapshot),
      }
    },
    note(diff, now, at) {
      began ??= at
      toldUpTo = now
      parts.count(diff, now)
      tools.note(diff)
      dirty.note(diff)
    },
    noteKnown(diff, at) {
      began ??= at
      tools.note(diff)
    },
    look(at) {
      began ??= at
      toldUpTo = view.revision()
    },
    take() {
      if (began === undefined) return undefined
      const at = began
      began = undefined
      const frame = { ...tools.take(view.revision() === toldUpTo), ...parts.take(dirty) }
      dirty.clear()
      if (Object.keys(frame).length === 0) return undefined
      return { type: "change", at, revision: parts.revision(), ...frame }
    },
  }
}

type Dirty = ReturnType<typeof createDirty>

/** Collects the states and links in diffs. */
function createDirty() {
  const states = new Set<string>()
  const values = new Map<string, StateEntry>()
  const links = new Set<string>()
  const replaced = new Set<string>()
  return {
    states,
    values,
    links,
    replaced,
    note(diff: Diff): void {
      const { appeared, vanished, redefined } = diff.states
      for (const { uri } of [...appeared, ...vanished, ...redefined]) states.add(uri)
      for (const entry of diff.values) values.set(entry.uri, entry)
      const { links: changed } = diff
      for (const { path } of [...changed.appeared, ...changed.vanished, ...changed.redefined, ...changed.replaced])
        links.add(JSON.stringify(path))
      for (const { path } of [...diff.tools.replaced, ...diff.states.replaced, ...changed.replaced])
        replaced.add(JSON.stringify(path))
    },
    clear(): void {
      for (const part of [states, values, links, replaced]) part.clear()
    },
  }
}

/** Tracks the lists other than tools. Items that the view does not contain and never reported are left out. */
function createParts(options: ListLogOptions) {
  const { view, builtIns } = options
  const toldStates = new Set<string>()
  const toldLinks = new Map<string, LinkEntry>()
  const counts = createCounts()
  let toldBuiltIns = ""
  const toState = (entry: StateEntry): StateRow => ({
    ...toStateFacts(entry),
    ...counts.of(entry.uri),
    ...toValue(entry, options),
  })
  const takeBuiltIns = (): Pick<ChangeFrame, "builtIns"> => {
    const names = builtIns()
    const text = JSON.stringify(names)
    if (text === toldBuiltIns) return {}
    toldBuiltIns = text
    return { builtIns: names }
  }
  return {
    revision: counts.revision,
    count: counts.note,
    startBuiltIns(): BuiltInNames {
      const names = builtIns()
      toldBuiltIns = JSON.stringify(names)
      return names
    },
    start({ revision, states, links }: ReturnType<View["snapshot"]>) {
      counts.start(revision)
      toldStates.clear()
      toldLinks.clear()
      for (const { uri } of states) toldStates.add(uri)
      for (const link of links) toldLinks.set(JSON.stringify(link.path), link)
      return { revision, states: states.map(toState), links: links.map(toLinkRow) }
    },
    take: (dirty: Dirty) => ({
      ...takeBuiltIns(),
      ...takeStates(view, dirty.states, { told: toldStates, toState }),
      ...takeValues(options, dirty),
      ...takeLinks(view, dirty.links, toldLinks),
      ...takeReplaced(view, dirty.replaced),
    }),
  }
}

interface Counted {
  readonly revision: number
  readonly changes: number
}

/** Counts each state's changes since the start. */
function createCounts() {
  const counts = new Map<string, Counted>()
  let revision = 0
  return {
    revision: () => revision,
    of: (uri: string): Counted => counts.get(uri) ?? { revision, changes: 0 },
    start(now: number): void {
      revision = now
    },
    note(diff: Diff, now: number): void {
      revision = now
      for (const { uri } of [...diff.values, ...diff.states.redefined])
        counts.set(uri, { revision, changes: (counts.get(uri)?.changes ?? 0) + 1 })
      for (const { uri } of diff.states.vanished) counts.delete(uri)
    },
  }
}

function takeStates(
  view: View,
  uris: ReadonlySet<string>,
  { told, toState }: { readonly told: Set<string>; readonly toState: (entry: StateEntry) => StateRow },
): Pick<ChangeFrame, "states" | "statesGone"> {
  const put: StateRow[] = []
  const gone: string[] = []
  for (const uri of uris) {
    const entry = view.state(uri)
    if (entry !== undefined) {
      told.add(uri)
      put.push(toState(entry))
    } else if (told.delete(uri)) gone.push(uri)
  }
  return { ...(put.length > 0 && { states: put }), ...(gone.length > 0 && { statesGone: gone }) }
}

function takeValues(options: ListLogOptions, { states, values }: Dirty): Pick<ChangeFrame, "values"> {
  const rows: ValueRow[] = []
  for (const [uri, entry] of values) {
    if (states.has(uri) || options.view.state(uri) === undefined) continue
    rows.push({ uri, ...(rows.length < options.mostValues && toValue(entry, options)) })
  }
  return rows.length > 0 ? { values: rows } : {}
}

function toValue(
  entry: StateEntry,
  { shows, room }: Pick<ListLogOptions, "shows" | "room">,
): Pick<ValueRow, "value" | "cut"> {
  const state = shows.values ? entry.current() : undefined
  if (state === undefined) return {}
  const { json, cut } = takeJson(state.value, room)
  return { value: json, ...(cut && { cut }) }
}

/** Reports only paths that are visible in the view. */
function takeReplaced(view: View, keys: ReadonlySet<string>): Pick<ChangeFrame, "replaced"> {
  // These keys were created with JSON.stringify.
  const paths = [...keys].map((key) => JSON.parse(key) as readonly string[])
  const replaced = paths.filter((path) => view.serviceAt(path) !== undefined)
  return replaced.length > 0 ? { replaced } : {}
}

function takeLinks(
  view: View,
  keys: ReadonlySet<string>,
  told: Map<string, LinkEntry>,
): Pick<ChangeFrame, "links" | "linksGone"> {
  if (keys.size === 0) return {}
  const now = new Map(view.links().map((link) => [JSON.stringify(link.path), link]))
  const put: LinkRow[] = []
  const gone: (readonly string[])[] = []
  for (const key of keys) {
    const link = now.get(key)
    const before = told.get(key)
    if (link !== undefined) {
      told.set(key, link)
      put.push(toLinkRow(link))
    } else if (before !== undefined) {
      told.delete(key)
      gone.push(before.path)
    }
  }
  return { ...(put.length > 0 && { links: put }), ...(gone.length > 0 && { linksGone: gone }) }
}
