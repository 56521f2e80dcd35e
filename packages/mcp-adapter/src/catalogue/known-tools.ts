import type { Abortable } from "@x/agentic-service/adapter"
import { comparePaths, formatPath } from "../names/path.js"
import { foldHyphens, foldToolName } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import { type Change, createClaims, createSortedList, toChange } from "./claims.js"
import { byPathAndKey, samePublished, type ToolEntry } from "./entry.js"
import type { ReservedNames } from "./naming.js"

/** A tool that is known, whether it can be called now or not. */
export interface KnownTool {
  /** What it is, or was when it was last seen. */
  readonly entry: ToolEntry
  /** The entry that stands for the same action now, under whatever path; `undefined` while it cannot be called. */
  latest(): ToolEntry | undefined
  /** Why it cannot be called now, where the service says. */
  reason(): string | undefined
  /** Tries to bring it back; `undefined` if nothing can be tried. See `DeclaredMember` of `@x/agentic-service`. */
  revive?(signal: Abortable): Promise<void> | undefined
}

/**
 * Every name that stands for a tool: listed, declared, former, an alias by another link, or seen since the start. What is
 * told of those that are not listed holds on to no service: it says what a name means, and cannot be called.
 */
export interface KnownTools {
  /** Notes that a service declares a tool. */
  declare(entry: ToolEntry): void
  /** Notes that it does not any more, at least not under that name: from now on the tool is one that was seen. */
  withdraw(entry: ToolEntry): void
  /** Remembers a name that is not listed any more. */
  depart(tool: KnownTool): void
  /** Forgets what was worked out from the graph, because the graph or its tools changed. */
  invalidate(): void
  /** Takes in what was declared and withdrawn, and which names changed hands among the listed tools. */
  update(traded: ReadonlyMap<string, Change<ToolEntry>>): void
  /** What another name stands for, or a name stands for now, since the last call; not what is available. */
  takeChanges(): ReadonlyMap<string, Change<ToolEntry>>
  /** What a name stands for. */
  find(name: string): KnownTool | undefined
  /** What is listed, declared, or seen, sorted by name; the same array as long as no name stands for something else. */
  read(): readonly ToolEntry[]
  /** Ends the registration with the reserved names. */
  close(): void
}

/** Where the names come from. */
interface KnownToolsOptions {
  /** The tool that is listed under a name. */
  readonly listed: (name: string) => ToolEntry | undefined
  /** The tools that the graph tells of: declared ones under their names, all under the names that other links give them. */
  readonly derive: () => ReadonlyMap<string, KnownTool>
  /** The most tools that are known though they are neither listed nor declared; what went first is forgotten first. */
  readonly seen: number
  /** How many former names are remembered; the oldest go first. */
  readonly memory: number
  /** The names of the adapter's own tools. */
  readonly reserved: ReservedNames
  /** Told of names that some hosts cannot tell apart. */
  readonly report: Report
}

/** Makes a registry of names that knows none yet. */
export function createKnownTools(options: KnownToolsOptions): KnownTools {
  const { listed } = options
  const list = createKnownList(options)
  const departed = new Map<string, KnownTool>()
  // Only a name that is not listed is looked up here, so this is worked out when that happens, not on every change.
  let derived: ReadonlyMap<string, KnownTool> | undefined
  return {
    ...list,
    declare(entry) {
      derived = undefined
      list.declare(entry)
    },
    withdraw(entry) {
      derived = undefined
      list.withdraw(entry)
    },
    depart(tool) {
      // In place where it is known already: deleting and setting a key again and again makes a `Map` slow for that key.
      departed.set(tool.entry.name, tool)
      const [oldest] = departed.keys()
      if (departed.size > options.memory && oldest !== undefined) departed.delete(oldest)
    },
    invalidate() {
      derived = undefined
    },
    find(name) {
      const entry = listed(name)
      if (entry !== undefined) return { entry, latest: () => entry, reason: () => undefined }
      derived ??= options.derive()
      // What the graph says now goes before what a name once meant; and more may be listed as known than is remembered.
      return derived.get(name) ?? departed.get(name) ?? list.seen(name)
    },
  }
}

/** The list of what is known, and what it is made from. */
function createKnownList({ listed, seen: limit, reserved, report }: KnownToolsOptions) {
  const twins = createNameTwins(reserved, report)
  const known = new Map<string, ToolEntry>()
  // The known names that are neither listed nor declared now, in the order in which they went.
  const seen = new Set<string>()
  const list = createSortedList<ToolEntry>((entry) => entry.name)
  const declared = createDeclared()
  let changes = new Map<string, Change<ToolEntry>>()
  const put = (name: string, after: ToolEntry | undefined): void => {
    const current = known.get(name)
    const earlier = changes.get(name)
    const before = earlier === undefined ? current : earlier.before
    changes.set(name, toChange(before, after))
    if (current === undefined && after !== undefined) twins.add(after)
    if (current !== undefined && after === undefined) twins.remove(current)
    if (after === undefined) known.delete(name)
    else known.set(name, after)
    list.set(name, after)
  }
  /** Of names that clients cannot tell apart, only one may be in a list: one that a tool has now. The others stay callable. */
  const forgetFolded = (name: string): void => {
    const alike = twins.of(name).filter((each) => foldHyphens(each) === foldHyphens(name) && known.has(each))
    if (alike.length < 2 && !reserved.has(name)) return
    for (const each of alike) if (seen.delete(each)) put(each, undefined)
  }
  const takeIn = (name: string): void => {
    const before = known.get(name)
    const now = listed(name) ?? declared.get(name)
    if (now === undefined) {
      if (before !== undefined) seen.add(name)
      return
    }
    seen.delete(name)
    if (before === undefined || !meansTheSame(before, now)) put(name, toKnown(now))
  }
  const forgetOldest = (): void => {
    for (const oldest of seen) {
      seen.delete(oldest)
      put(oldest, undefined)
      if (seen.size <= limit) return
    }
  }

  return {
    declare: declared.add,
    withdraw: declared.remove,
    update(traded: ReadonlyMap<string, Change<ToolEntry>>): void {
      const names = new Set([...traded.keys(), ...declared.takeChanges().keys()])
      for (const name of names) takeIn(name)
      for (const name of names) forgetFolded(name)
      // A set that is walked from its start is slow where much was deleted, so only when it must be.
      if (seen.size > limit) forgetOldest()
    },
    takeChanges(): ReadonlyMap<string, Change<ToolEntry>> {
      const taken = changes
      if (taken.size > 0) changes = new Map()
      return taken
    },
    seen(name: string): KnownTool | undefined {
      const entry = known.get(name)
      return entry && { entry, latest: () => undefined, reason: () => undefined }
    },
    read: () => list.read(),
    close: twins.close,
  }
}

/** The names that services declare, each given to one of them. */
function createDeclared() {
  return createClaims<ToolEntry>({
    keyOf: (entry) => entry.name,
    compare: byPathAndKey,
    limit: Number.POSITIVE_INFINITY, // bounded by the services, and by what their authors wrote
    onClash: () => undefined, // told when the loser would be listed
    onLimit: () => undefined,
  })
}

/** Who may know of an entry can depend on where it stands, so that counts beside what is published. */
function meansTheSame(before: ToolEntry, now: ToolEntry): boolean {
  return before.key === now.key && comparePaths(before.path, now.path) === 0 && samePublished(before, now)
}

/** Without the way to the service, which may be long gone while its tools are known. */
function toKnown(entry: ToolEntry): ToolEntry {
  return { ...entry, toInput: (args) => args, current: () => undefined }
}

/** Notices names that are one to a host that does not tell case and joints apart. Both stay. */
interface NameTwins {
  /** Takes in a tool that has become known, and reports what it is one with. */
  add(entry: ToolEntry): void
  /** Forgets a tool that is not known any more. */
  remove(entry: ToolEntry): void
  /** The known names that are one with a name, itself included. */
  of(name: string): readonly string[]
  /** Ends the registration with the reserved names. */
  close(): void
}

/** Creates a registry of names that knows the reserved ones only. */
function createNameTwins(reserved: ReservedNames, report: Report): NameTwins {
  const byFold = new Map<string, Map<string, ToolEntry>>()
  const reportTwin = ({ name, path, key }: ToolEntry, twin: string): void =>
    report({
      code: "name_alike",
      message: `action "${formatPath([...path, key])}" is named "${name}", and there is "${twin}": some hosts take them for one, or refuse both; give it a "toolName"`,
      path,
      key,
    })
  const stop = reserved.onAdd((name) => {
    // One that is the same after "-" → "_" gets another name.
    for (const entry of byFold.get(foldToolName(name))?.values() ?? [])
      if (foldHyphens(entry.name) !== foldHyphens(name)) reportTwin(entry, name)
  })

  return {
    of: (name) => [...(byFold.get(foldToolName(name))?.keys() ?? [])],
    add(entry) {
      const fold = foldToolName(entry.name)
      const twins = byFold.get(fold) ?? new Map<string, ToolEntry>()
      byFold.set(fold, twins)
      const own = [...reserved.all()].find((name) => foldToolName(name) === fold)
      const [twin = own] = twins.keys()
      twins.set(entry.name, entry)
      if (twin !== undefined) reportTwin(entry, twin)
    },
    remove({ name }) {
      const fold = foldToolName(name)
      const twins = byFold.get(fold)
      twins?.delete(name)
      if (twins?.size === 0) byFold.delete(fold)
    },
    close: stop,
  }
}
