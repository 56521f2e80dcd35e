import type { OptionRule } from "@x/tool-schemas/json"
import { comparePaths, formatPath } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import type { Host } from "../runtime/host.js"
import { type Change, type Claims, createClaims, createSortedList, type SortedList } from "./claims.js"
import { type Delta, keepsDefinition } from "./diff.js"
import { byPathAndKey, type LinkEntry, type Snapshot, type StateEntry, sameEntry, type ToolEntry } from "./entry.js"
import { createKnownTools, type KnownTool, type KnownTools } from "./known-tools.js"
import { createNaming, type Naming, type ReservedNames } from "./naming.js"

/** What is on offer: who claims which key, what that changes, and the sorted lists readers get. */
export interface Listing {
  /** Tools by name. */
  readonly tools: Claims<ToolEntry>
  /** States by URI. */
  readonly states: Claims<StateEntry>
  /** Links by path. */
  readonly links: Claims<LinkEntry>
  /** Every name that stands for a tool, also for one that is not on offer now. */
  readonly known: KnownTools
  /** Which tool has which name. */
  readonly naming: Naming
  /** Notes that a listed state has another value. */
  valueChanged(entry: StateEntry): void
  /** The net change since the last call, as a new revision; `undefined` when there is none. */
  takeDelta(): Delta | undefined
  /** What is on offer at the newest revision. */
  snapshot(): Snapshot
  /** Lets go of what it follows. */
  close(): void
}

/** What a listing needs. */
interface ListingOptions {
  /** Makes the tool names. */
  readonly toolName: ToolNamer
  /** The names of the adapter's own tools. */
  readonly reserved: ReservedNames
  /** Called when names were taken by the adapter's own tools. */
  readonly onReserved: () => void
  /** The tools that the graph tells of; see {@link KnownTools}. */
  readonly derive: () => ReadonlyMap<string, KnownTool>
  /** How many former names are remembered. */
  readonly memory: number
  /** How much is listed. */
  readonly limits: CatalogueLimits
  /** Time, what is held, and who is told. */
  readonly host: Host
}

/** Makes an empty listing, at revision 0. */
export function createListing(options: ListingOptions): Listing {
  const tools = createToolClaims(options)
  const states = createStateClaims(options)
  const links = createLinkClaims()
  const known = createKnownTools({
    ...options,
    listed: tools.get,
    seen: options.limits.seen,
    report: options.host.report,
  })
  const lists = {
    tools: createSortedList<ToolEntry>((entry) => entry.name),
    states: createSortedList<StateEntry>((entry) => entry.uri),
    links: createSortedList<LinkEntry>((entry) => formatPath(entry.path)),
  }
  const naming = createNaming({ ...options, report: options.host.report })
  const values = new Map<string, StateEntry>()
  let revision = 0
  let snapshot: Snapshot | undefined

  return {
    tools,
    states,
    links,
    known,
    naming,
    valueChanged: (entry) => values.set(entry.uri, entry),
    takeDelta() {
      naming.settle()
      const traded = { tools: tools.takeChanges(), states: states.takeChanges(), links: links.takeChanges() }
      known.update(traded.tools)
      if (traded.tools.size + traded.links.size > 0) known.invalidate()
      const any =
        apply(lists.tools, traded.tools) + apply(lists.states, traded.states) + apply(lists.links, traded.links)
      if (any > 0) snapshot = undefined
      const delta = {
        tools: changed(traded.tools),
        states: changed(traded.states),
        links: changed(traded.links),
        values: otherValues(values, traded.states),
      }
      values.clear()
      if (delta.tools.size + delta.states.size + delta.links.size + delta.values.size === 0) return undefined
      revision += 1
      snapshot = undefined
      return { revision, ...delta }
    },
    close() {
      naming.close()
      known.close()
    },
    snapshot() {
      snapshot ??= Object.freeze({
        revision,
        tools: lists.tools.read(),
        states: lists.states.read(),
        links: lists.links.read(),
      })
      return snapshot
    },
  }
}

function createToolClaims({ limits, host: { report } }: ListingOptions): Claims<ToolEntry> {
  return createClaims<ToolEntry>({
    keyOf: (entry) => entry.name,
    compare: byPathAndKey,
    limit: limits.tools,
    onClash: (loser, winner) => report(clash(loser, winner)),
    onLimit: (entry) => report(overLimit("tool", limits.tools, entry)),
  })
}

/**
 * Indexes states by URI, and by their original URI as long as no other state has the same. Once two states have shared one, it
 * stands for neither until both are gone: a reader of one must not be handed the other.
 */
function createStateClaims({ limits, host: { report } }: ListingOptions): Claims<StateEntry> {
  const aliases = new Map<string, StateEntry[]>()
  const contested = new Set<string>()
  const claims = createClaims<StateEntry>({
    keyOf: (entry) => entry.uri,
    compare: byPathAndKey,
    limit: limits.states,
    onClash: () => undefined, // a URI spells path and key out, so nobody else can claim it
    onLimit: (entry) => report(overLimit("state", limits.states, entry)),
  })
  const others = ({ alias = "" }: StateEntry, entry: StateEntry): StateEntry[] =>
    (aliases.get(alias) ?? []).filter((each) => each !== entry)
  return {
    ...claims,
    get size() {
      return claims.size
    },
    get: (uri) => claims.get(uri) ?? (contested.has(uri) ? undefined : aliases.get(uri)?.[0]),
    add(entry) {
      claims.add(entry)
      if (entry.alias === undefined) return
      const owners = [...others(entry, entry), entry]
      aliases.set(entry.alias, owners)
      if (owners.length > 1) contested.add(entry.alias)
    },
    remove(entry) {
      claims.remove(entry)
      if (entry.alias === undefined) return
      const left = others(entry, entry)
      if (left.length > 0) aliases.set(entry.alias, left)
      else {
        aliases.delete(entry.alias)
        contested.delete(entry.alias)
      }
    },
  }
}

function createLinkClaims(): Claims<LinkEntry> {
  return createClaims<LinkEntry>({
    keyOf: (entry) => formatPath(entry.path),
    compare: (a, b) => comparePaths(a.path, b.path),
    limit: Number.POSITIVE_INFINITY, // bounded by the services and the depth
    onClash: () => undefined,
    onLimit: () => undefined,
  })
}

/** Puts what changed hands into a list, also where it publishes the same: a reader's entry must be the live one. */
function apply<Listed>(list: SortedList<Listed>, changes: ReadonlyMap<string, Change<Listed>>): number {
  for (const [key, { after }] of changes) list.set(key, after)
  return changes.size
}

/** The changes of what clients are told, or of the thing behind it. */
function changed<Listed extends ToolEntry | StateEntry | LinkEntry>(
  changes: ReadonlyMap<string, Change<Listed>>,
): ReadonlyMap<string, Change<Listed>> {
  const seen = new Map<string, Change<Listed>>()
  for (const [key, change] of changes) {
    const { before, after } = change
    if (before === undefined || after === undefined || !sameEntry(before, after)) seen.set(key, change)
  }
  return seen
}

/**
 * The states that were there before and are there now and may have another value: those that emitted, and those that another
 * service has taken over with the same definition. The others are told as appeared, vanished or redefined.
 */
function otherValues(
  values: ReadonlyMap<string, StateEntry>,
  states: ReadonlyMap<string, Change<StateEntry>>,
): ReadonlyMap<string, StateEntry> {
  const others = new Map([...values].filter(([uri]) => !states.has(uri)))
  for (const [uri, change] of states)
    if (keepsDefinition(change) && change.after !== undefined) others.set(uri, change.after)
  return others
}

function clash(loser: ToolEntry, winner: ToolEntry): Diagnostic {
  const at = (entry: ToolEntry): string => `"${formatPath([...entry.path, entry.key])}"`
  return {
    code: "name_clash",
    message: `action ${at(loser)} is left out: its name "${loser.name}" belongs to ${at(winner)}; give one of them a "toolName"`,
    path: loser.path,
    key: loser.key,
  }
}

function overLimit(kind: "tool" | "state", limit: number, entry: ToolEntry | StateEntry): Diagnostic {
  return {
    code: `${kind}_limit`,
    message: `${kind} "${entry.key}" is left out: ${limit} are listed already; raise "limits.${kind}s" or link less`,
    path: entry.path,
    key: entry.key,
  }
}

/** How much a catalogue takes in. What is over a limit is left out, with a diagnostic. */
export interface CatalogueLimits {
  /** The longest path of links that is followed. Default 16. */
  readonly depth: number
  /** The most services that are watched. Default 5,000. */
  readonly services: number
  /** The most tools that are listed. Default 5,000. */
  readonly tools: number
  /**
   * The most tools that the exposure `stable` goes on listing though no service that can be reached has or declares them:
   * those of foreign services, which declare nothing, and of services that were linked once. The one that went first is
   * forgotten first. Default 500.
   */
  readonly seen: number
  /** The most states that are listed. Default 5,000. */
  readonly states: number
  /** The most characters of what is published of one tool or state, as JSON: name, description and schemas. Default 100,000. */
  readonly definitionChars: number
  /** How long the first list waits for maps that have not spoken, in milliseconds. Default 500. */
  readonly readyWaitMs: number
}

/** The limits used where none are given. */
export const defaultCatalogueLimits: CatalogueLimits = {
  depth: 16,
  services: 5_000,
  tools: 5_000,
  seen: 500,
  states: 5_000,
  definitionChars: 100_000,
  readyWaitMs: 500,
}

/** What each limit of a catalogue may be. */
export const catalogueLimitRules: Record<keyof CatalogueLimits, OptionRule> = {
  depth: { from: 0, whole: true },
  services: { from: 1, whole: true },
  tools: { from: 0, whole: true },
  seen: { from: 0, whole: true },
  states: { from: 0, whole: true },
  definitionChars: { from: 1, whole: true },
  readyWaitMs: { from: 0 },
}
