import type { OptionRule } from "@x/base"
import { comparePaths, formatPath } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import type { Host } from "../runtime/host.js"
import { type Change, type Claims, createClaims, createSortedList, type SortedList } from "./claims.js"
import { type CatalogueChange, keepsDefinition } from "./diff.js"
import { byPathAndKey, type LinkEntry, type Snapshot, type StateEntry, sameEntry, type ToolEntry } from "./entry.js"
import { createKnownTools, type KnownTool, type KnownTools } from "./known-tools.js"
import { createNaming, type Naming, type ReservedNames } from "./naming.js"

/** The holders of all keys, their changes, and sorted lists for readers. */
export interface Listing {
  /** Tools by name. */
  readonly tools: Claims<ToolEntry>
  /** States by URI. */
  readonly states: Claims<StateEntry>
  /** Links by path. */
  readonly links: Claims<LinkEntry>
  /** Every known tool name, current or not. */
  readonly known: KnownTools
  /** Assigns names to tools. */
  readonly naming: Naming
  /** Records a listed state's new value. */
  valueChanged(entry: StateEntry): void
  /** Returns the net change since the last call as a new revision, or `undefined` without a change. */
  takeChange(): CatalogueChange | undefined
  /** Returns the snapshot at the newest revision. */
  snapshot(): Snapshot
  /** Unsubscribes from the reserved names. */
  close(): void
}

/** Options of a listing. */
interface ListingOptions {
  /** Creates tool names. */
  readonly toolName: ToolNamer
  /** Names of the adapter's own tools. */
  readonly reserved: ReservedNames
  /** Called when the adapter's own tools have taken names. */
  readonly onReserved: () => void
  /** Finds tools of the graph by unlisted names; see {@link KnownTools}. */
  readonly findDerived: (name: string) => KnownTool | undefined
  /** The maximum of remembered former names. */
  readonly memory: number
  /** Limits of the lists. */
  readonly limits: CatalogueLimits
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/** Creates an empty listing, at revision 0. */
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
    takeChange() {
      naming.settle()
      const traded = { tools: tools.takeChanges(), states: states.takeChanges(), links: links.takeChanges() }
      if (traded.tools.size + traded.links.size > 0) known.invalidate()
      known.update(traded.tools)
      const any =
        apply(lists.tools, traded.tools) + apply(lists.states, traded.states) + apply(lists.links, traded.links)
      if (any > 0) snapshot = undefined
      const change = {
        tools: changed(traded.tools),
        states: changed(traded.states),
        links: changed(traded.links),
        values: otherValues(values, traded.states),
      }
      values.clear()
      if (change.tools.size + change.states.size + change.links.size + change.values.size === 0) return undefined
      revision += 1
      snapshot = undefined
      return { revision, ...change }
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
 * Indexes states by URI, and by their original URI as long as no other state shares it. A shared original URI stays ambiguous
 * until both states are gone, so that readers of one never get the other.
 */
function createStateClaims({ limits, host: { report } }: ListingOptions): Claims<StateEntry> {
  const aliases = new Map<string, StateEntry[]>()
  const contested = new Set<string>()
  const claims = createClaims<StateEntry>({
    keyOf: (entry) => entry.uri,
    compare: byPathAndKey,
    limit: limits.states,
    onClash: () => undefined, // a URI contains path and key, so no other state can claim it
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
    limit: Number.POSITIVE_INFINITY, // bounded by services and depth
    onClash: () => undefined,
    onLimit: () => undefined,
  })
}

/** Applies changed holders to a list, even with equal definitions: readers need the live entry. */
function apply<Listed>(list: SortedList<Listed>, changes: ReadonlyMap<string, Change<Listed>>): number {
  for (const [key, { after }] of changes) list.set(key, after)
  return changes.size
}

/** Returns changes of published definitions or instances. */
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
 * Returns remaining states that may have another value: those that emitted, and those taken over by another service with an
 * equal definition. Others count as appeared, vanished or redefined.
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

/** Limits of a catalogue. Members over a limit are left out, with a diagnostic. */
export interface CatalogueLimits {
  /** The longest followed path of links. Default 16. */
  readonly depth: number
  /** The maximum of watched services. Default 5,000. */
  readonly services: number
  /** The maximum of listed tools. Default 5,000. */
  readonly tools: number
  /**
   * The maximum of tools that the exposure `stable` keeps listing after no reachable service has or declares them: tools of
   * foreign services, which declare nothing, and of formerly linked services. The one gone longest is dropped first. Default
   * 500.
   */
  readonly seen: number
  /** The maximum of listed states. Default 5,000. */
  readonly states: number
  /** The maximum of characters in one tool's or state's definition as JSON: name, description and schemas. Default 100,000. */
  readonly definitionChars: number
  /** Milliseconds that the first list waits for silent maps. Default 500. */
  readonly readyWaitMs: number
}

/** The default limits of a catalogue. */
export const defaultCatalogueLimits: CatalogueLimits = {
  depth: 16,
  services: 5_000,
  tools: 5_000,
  seen: 500,
  states: 5_000,
  definitionChars: 100_000,
  readyWaitMs: 500,
}

/** Rules for limits of a catalogue. */
export const catalogueLimitRules: Record<keyof CatalogueLimits, OptionRule> = {
  depth: { from: 0, whole: true },
  services: { from: 1, whole: true },
  tools: { from: 0, whole: true },
  seen: { from: 0, whole: true },
  states: { from: 0, whole: true },
  definitionChars: { from: 1, whole: true },
  readyWaitMs: { from: 0 },
}
