import type { Abortable } from "@x/agentic-service/adapter"
import { comparePaths } from "../names/path.js"
import { foldHyphens } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import { type Change, createClaims, createSortedList, toChange } from "./claims.js"
import { byPathAndKey, samePublished, type ToolEntry } from "./entry.js"
import { createNameTwins, type NameTwins } from "./name-twins.js"
import type { ReservedNames } from "./naming.js"

/** A known tool, callable or not. */
export interface KnownTool {
  /** Its current or last entry. */
  readonly entry: ToolEntry
  /** Returns the current entry of the same action, under any path, or `undefined` while it cannot be called. */
  latest(): ToolEntry | undefined
  /** Returns the reason why it cannot be called, if the service gives one. */
  reason(): string | undefined
  /** Tries to bring it back. Returns `undefined` when there is no way to try. See `DeclaredMember` of `@x/agentic-service`. */
  revive?(signal: Abortable): Promise<void> | undefined
}

/** A name that is new or stands for another tool. */
export interface KnownChange extends Change<ToolEntry> {
  /**
   * The turn at which the former entry left the list, if it was only remembered: readers that began later did not know it. See
   * {@link KnownTools.turn}.
   */
  readonly leftAt?: number
}

/**
 * Every name of a tool: listed, declared, former, an alias through another link, or seen since the start. Unlisted ones hold no
 * reference to a service: they explain a name, and cannot be called.
 *
 * Readers begin at different turns. Each knows only the names that left after it began, as if the registry had begun with it.
 */
export interface KnownTools {
  /** Records a declared tool. */
  declare(entry: ToolEntry): void
  /** Records that a tool is no longer declared under this name. It now counts as seen. */
  withdraw(entry: ToolEntry): void
  /** Returns the current turn. A new one begins with each processed change. */
  turn(): number
  /**
   * Remembers a name that is no longer listed.
   *
   * @param at - The turn at which it left. Default: now.
   */
  depart(tool: KnownTool, at?: number): void
  /** Drops names that were looked up, because the graph or its tools changed. */
  invalidate(): void
  /** Processes declarations, withdrawals and changed holders among listed tools. */
  update(traded: ReadonlyMap<string, Change<ToolEntry>>): void
  /**
   * Returns names that are new or stand for another tool since the last call, regardless of availability. Also returns
   * remembered names that are listed or declared again, which only readers that began in between did not know.
   */
  takeChanges(): ReadonlyMap<string, KnownChange>
  /** Finds the tool behind a name, for a reader that began at a turn. */
  find(name: string, from: number): KnownTool | undefined
  /**
   * Returns listed, declared and seen tools, sorted by name, for a reader that began at a turn. The same array while each name
   * stands for the same tool.
   */
  read(from: number): readonly ToolEntry[]
  /** Unsubscribes from the reserved names. */
  close(): void
}

/** Sources of names. */
interface KnownToolsOptions {
  /** Returns the tool listed under a name. */
  readonly listed: (name: string) => ToolEntry | undefined
  /** Finds a tool of the graph by an unlisted name: a declared tool, or one under a name from another link. */
  readonly findDerived: (name: string) => KnownTool | undefined
  /** The maximum of known tools that are neither listed nor declared. The one gone longest is forgotten first. */
  readonly seen: number
  /** The maximum of former names; the oldest are forgotten first. */
  readonly memory: number
  /** Names of the adapter's own tools. */
  readonly reserved: ReservedNames
  /** Reports names that some hosts cannot tell apart. */
  readonly report: Report
}

/** Creates an empty registry of names. */
export function createKnownTools(options: KnownToolsOptions): KnownTools {
  const { listed } = options
  const list = createKnownList(options)
  const departed = new Map<string, Departed>()
  /** Tools found by unlisted names, until the graph or its tools change. */
  const derived = new Map<string, KnownTool>()
  const findDerived = (name: string): KnownTool | undefined => {
    const tool = derived.get(name) ?? options.findDerived(name)
    if (tool !== undefined) derived.set(name, tool)
    return tool
  }
  return {
    ...list,
    declare(entry) {
      derived.clear()
      list.declare(entry)
    },
    withdraw(entry) {
      derived.clear()
      list.withdraw(entry)
    },
    invalidate: () => derived.clear(),
    depart(tool, at = list.turn()) {
      const { name } = tool.entry
      if ((departed.get(name)?.at ?? at) > at) return
      // Updates in place, because deleting and setting a key repeatedly makes a `Map` slow for that key.
      departed.set(name, { tool, at })
      const [oldest] = departed.keys()
      if (departed.size > options.memory && oldest !== undefined) departed.delete(oldest)
    },
    find(name, from) {
      const entry = listed(name)
      if (entry !== undefined) return { entry, latest: () => entry, reason: () => undefined }
      const left = departed.get(name)
      // A name's current meaning in the graph precedes its former one. More tools may be listed as known than are remembered.
      return findDerived(name) ?? (left && left.at >= from ? left.tool : undefined) ?? list.seen(name, from)
    },
  }
}

/** A remembered former name. */
interface Departed {
  readonly tool: KnownTool
  /** The turn at which it left the list. */
  readonly at: number
}

/** Creates the list of known tools. */
function createKnownList({ listed, seen: limit, reserved, report }: KnownToolsOptions) {
  const twins = createNameTwins(reserved, report)
  const known = createKnownNames(twins)
  const seen = createSeen()
  const declared = createDeclared()
  let turn = 0
  const forget = (name: string): void => known.put(name, undefined, seen.recall(name))
  /**
   * Removes seen names that clients cannot tell from a current name, because a list may contain only one of them. They stay
   * callable.
   */
  const forgetFolded = (name: string): void => {
    const isKnown = (each: string): boolean => known.get(each) !== undefined
    const alike = twins.of(name).filter((each) => foldHyphens(each) === foldHyphens(name) && isKnown(each))
    if (alike.length < 2 && !reserved.has(name)) return
    for (const each of alike) if (seen.leftAt(each) !== undefined) forget(each)
  }
  const takeIn = (name: string): void => {
    const before = known.get(name)
    const now = listed(name) ?? declared.get(name)
    if (now === undefined) {
      if (before !== undefined) seen.add(name, turn)
      return
    }
    const leftAt = seen.recall(name)
    if (before === undefined || !meansTheSame(before, now)) known.put(name, withoutService(now), leftAt)
    else if (leftAt !== undefined) known.note(name, before, leftAt)
  }

  return {
    turn: () => turn,
    declare: declared.add,
    withdraw: declared.remove,
    update(traded: ReadonlyMap<string, Change<ToolEntry>>): void {
      const names = new Set([...traded.keys(), ...declared.takeChanges().keys()])
      for (const name of names) takeIn(name)
      for (const name of names) forgetFolded(name)
      for (const oldest of seen.beyond(limit)) forget(oldest)
      turn += 1
    },
    takeChanges: known.takeChanges,
    seen(name: string, from: number): KnownTool | undefined {
      const entry = (seen.leftAt(name) ?? from) < from ? undefined : known.get(name)
      return entry && { entry, latest: () => undefined, reason: () => undefined }
    },
    read: (from: number) => seen.without(known.list(), from),
    close: twins.close,
  }
}

/** Creates the tools of all known names, with their changes. */
function createKnownNames(twins: Pick<NameTwins, "add" | "remove">) {
  const known = new Map<string, ToolEntry>()
  const list = createSortedList<ToolEntry>((entry) => entry.name)
  let changes = new Map<string, KnownChange>()
  const note = (name: string, after: ToolEntry | undefined, leftAt: number | undefined): void => {
    const first = changes.get(name) ?? { before: known.get(name), leftAt }
    const change = toChange(first.before, after)
    changes.set(name, first.leftAt === undefined ? change : { ...change, leftAt: first.leftAt })
  }
  return {
    get: (name: string) => known.get(name),
    list: list.read,
    /** Records that a name stands for a tool, which may be the same as before, since it was only remembered. */
    note,
    put(name: string, after: ToolEntry | undefined, leftAt: number | undefined): void {
      const current = known.get(name)
      note(name, after, leftAt)
      if (current === undefined && after !== undefined) twins.add(after)
      if (current !== undefined && after === undefined) twins.remove(current)
      if (after === undefined) known.delete(name)
      else known.set(name, after)
      list.set(name, after)
    },
    takeChanges(): ReadonlyMap<string, KnownChange> {
      const taken = changes
      if (taken.size > 0) changes = new Map()
      return taken
    },
  }
}

/** Creates the memory of known names that are neither listed nor declared, in the order in which they left. */
function createSeen() {
  const leftAt = new Map<string, number>()
  // Readers that do not know equally many names share a list.
  let whole: readonly ToolEntry[] = []
  let byMissed = new Map<number, readonly ToolEntry[]>()
  const missedBy = (from: number): ReadonlySet<string> => {
    const missed = new Set<string>()
    for (const [name, at] of leftAt) {
      if (at >= from) break
      missed.add(name)
    }
    return missed
  }
  return {
    leftAt: (name: string) => leftAt.get(name),
    add(name: string, at: number): void {
      if (!leftAt.has(name)) leftAt.set(name, at)
    },
    /** Takes a name out. Returns the turn at which it left. */
    recall(name: string): number | undefined {
      const at = leftAt.get(name)
      if (at !== undefined) byMissed = new Map()
      leftAt.delete(name)
      return at
    },
    /** Returns the oldest names beyond a limit. Iterating from the start is slow after many deletions. */
    beyond: (limit: number) => (leftAt.size > limit ? [...leftAt.keys()].slice(0, leftAt.size - limit) : []),
    /** Returns a list without the names that left before a reader began. */
    without(list: readonly ToolEntry[], from: number): readonly ToolEntry[] {
      if (list !== whole) byMissed = new Map()
      whole = list
      const missed = from === 0 ? none : missedBy(from)
      if (missed.size === 0) return list
      const rest = byMissed.get(missed.size) ?? Object.freeze(list.filter(({ name }) => !missed.has(name)))
      byMissed.set(missed.size, rest)
      return rest
    },
  }
}

const none: ReadonlySet<string> = new Set()

/** Creates the claims of services to their declared names. */
function createDeclared() {
  return createClaims<ToolEntry>({
    keyOf: (entry) => entry.name,
    compare: byPathAndKey,
    limit: Number.POSITIVE_INFINITY, // bounded by the services and their authors' definitions
    onClash: () => undefined, // reported when the loser would be listed
    onLimit: () => undefined,
  })
}

/** Permissions may depend on the path, so it counts beside the published definition. */
function meansTheSame(before: ToolEntry, now: ToolEntry): boolean {
  return before.key === now.key && comparePaths(before.path, now.path) === 0 && samePublished(before, now)
}

/** Copies an entry without references to its service, which may be gone while its tools are still known. */
export function withoutService(entry: ToolEntry): ToolEntry {
  return { ...entry, toInput: asSent, current: nothing }
}

// Not created for each entry, since there are thousands.
const asSent: ToolEntry["toInput"] = (args) => args
const nothing = (): undefined => undefined
