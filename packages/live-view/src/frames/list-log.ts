import type { Diff, LinkEntry, StateEntry, ToolEntry } from "@x/mcp-adapter"
import type { Resolution, View } from "@x/mcp-adapter/binding"
import type { ChangeFrame, LinkRow, Shows, StateRow, ToolRow, ValueRow } from "./frame.js"
import { toLinkRow, toStateFacts, toToolRows } from "./rows.js"
import { type Room, takeJson } from "./take-json.js"

/** What is on offer in one view, as whoever looks was last told. */
export interface ListLog {
  /** How everything is now, and what is told from here. */
  start(): Pick<ListStart, "tools" | "states" | "links" | "revision">
  /** Takes in that something became other at a time. */
  note(diff: Diff, revision: number, at: number): void
  /** What is other than was told, at the time when that began; `undefined` where nothing is. */
  take(): ChangeFrame | undefined
}

interface ListStart {
  readonly revision: number
  readonly tools: readonly ToolRow[]
  readonly states: readonly StateRow[]
  readonly links: readonly LinkRow[]
}

/** Whose view it is, and how much of it is shown. */
export interface ListLogOptions {
  readonly view: View
  readonly shows: Shows
  /** How much of each value. */
  readonly room: Room
  /** How many values are told at once. */
  readonly mostValues: number
}

/** Nothing is told yet. */
export function createListLog(options: ListLogOptions): ListLog {
  const { view } = options
  const dirty = createDirty()
  const told = new Map<string, ToolEntry>()
  const counts = new Map<string, Counted>()
  let revision = 0
  let began = 0

  const toState = (entry: StateEntry): StateRow => ({
    ...toStateFacts(entry),
    ...(counts.get(entry.uri) ?? { revision, changes: 0 }),
    ...toValue(entry, options),
  })
  return {
    start() {
      dirty.clear()
      told.clear()
      const { tools, states, links, revision: now } = view.snapshot()
      revision = now
      for (const entry of tools) told.set(entry.name, entry)
      const names = new Set([...tools, ...view.known()].map(({ name }) => name))
      return {
        revision,
        tools: [...names].flatMap((name) => toToolRows(view, name)),
        states: states.map(toState),
        links: links.map(toLinkRow),
      }
    },
    note(diff, now, at) {
      revision = now
      if (dirty.empty()) began = at
      dirty.note(diff)
      for (const { uri } of [...diff.values, ...diff.states.redefined]) {
        counts.set(uri, { revision, changes: (counts.get(uri)?.changes ?? 0) + 1 })
      }
      for (const { uri } of diff.states.vanished) counts.delete(uri)
    },
    take() {
      if (dirty.empty()) return undefined
      const frame: ChangeFrame = {
        type: "change",
        at: began,
        revision,
        ...toTools(view, dirty.tools, told),
        ...toStates(dirty, { options, toState }),
        ...toLinks(view, dirty.links),
      }
      dirty.clear()
      return frame
    },
  }
}

interface Counted {
  readonly revision: number
  readonly changes: number
}

/** The keys of what became other. */
function createDirty() {
  const tools = new Set<string>()
  const states = new Set<string>()
  const values = new Map<string, StateEntry>()
  const links = new Map<string, LinkEntry>()
  const parts = [tools, states, values, links]
  return {
    tools,
    states,
    values,
    links,
    note(diff: Diff): void {
      const { appeared, vanished, redefined } = diff.tools
      for (const { name } of [...appeared, ...vanished, ...redefined]) tools.add(name)
      for (const { uri } of [...diff.states.appeared, ...diff.states.vanished, ...diff.states.redefined])
        states.add(uri)
      for (const entry of diff.values) values.set(entry.uri, entry)
      for (const entry of [...diff.links.appeared, ...diff.links.vanished, ...diff.links.redefined])
        links.set(JSON.stringify(entry.path), entry)
    },
    empty: (): boolean => parts.every(({ size }) => size === 0),
    clear(): void {
      for (const part of parts) part.clear()
    },
  }
}

/** A tool that is back as it was is told by its name alone: many may come and go, over and over. */
function toTools(
  view: View,
  names: ReadonlySet<string>,
  told: Map<string, ToolEntry>,
): Pick<ChangeFrame, "put" | "back" | "away" | "gone"> {
  const put: ToolRow[] = []
  const back: string[] = []
  const away: { readonly name: string; readonly reason?: string }[] = []
  const gone: string[] = []
  const sort = (name: string, found: Resolution): void => {
    if (found.status === "unknown") gone.push(name)
    else if (found.status === "unavailable" && told.has(name))
      away.push({ name, ...(found.reason !== undefined && { reason: found.reason }) })
    else if (told.get(name)?.definition === found.entry.definition) back.push(name)
    else put.push(...toToolRows(view, name))
  }
  for (const name of names) {
    const found = view.resolve(name)
    sort(name, found)
    if (found.status === "available") told.set(name, found.entry)
    if (found.status === "unknown") told.delete(name)
  }
  return {
    ...(put.length > 0 && { put }),
    ...(back.length > 0 && { back }),
    ...(away.length > 0 && { away }),
    ...(gone.length > 0 && { gone }),
  }
}

function toStates(
  { states, values }: ReturnType<typeof createDirty>,
  { options, toState }: { readonly options: ListLogOptions; readonly toState: (entry: StateEntry) => StateRow },
): Pick<ChangeFrame, "states" | "statesGone" | "values"> {
  const { view, mostValues } = options
  const there: StateRow[] = []
  const gone: string[] = []
  for (const uri of states) {
    const entry = view.state(uri)
    if (entry === undefined) gone.push(uri)
    else there.push(toState(entry))
  }
  const others: ValueRow[] = []
  for (const [uri, entry] of values) {
    if (states.has(uri) || view.state(uri) === undefined) continue
    others.push({ uri, ...(others.length < mostValues && toValue(entry, options)) })
  }
  return {
    ...(there.length > 0 && { states: there }),
    ...(gone.length > 0 && { statesGone: gone }),
    ...(others.length > 0 && { values: others }),
  }
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

function toLinks(view: View, links: ReadonlyMap<string, LinkEntry>): Pick<ChangeFrame, "links" | "linksGone"> {
  if (links.size === 0) return {}
  const now = new Map(view.links().map((link) => [JSON.stringify(link.path), link]))
  const there = [...links.keys()].flatMap((key) => now.get(key) ?? [])
  const gone = [...links].filter(([key]) => !now.has(key)).map(([, { path }]) => path)
  return {
    ...(there.length > 0 && { links: there.map(toLinkRow) }),
    ...(gone.length > 0 && { linksGone: gone }),
  }
}
