import { comparePaths, formatPath } from "../names/path.js"
import { BUILT_IN_NAMES, foldToolName } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import { type Change, createClaims, createSortedList } from "./claims.js"
import { byPathAndKey, samePublished, type ToolEntry } from "./entry.js"

/** A tool that is known, whether it can be called now or not. */
export interface KnownTool {
  /** What it is, or was when it was last seen. */
  readonly entry: ToolEntry
  /** The entry that stands for the same action now, under whatever path; `undefined` while it cannot be called. */
  latest(): ToolEntry | undefined
  /** Why it cannot be called now, where the service says. */
  reason(): string | undefined
}

/**
 * Every tool that clients may be told of, whether it can be called now or not: what is listed, what is declared, and what
 * was either since the start. Its entries hold on to no service: they tell what a name means, and cannot be called.
 */
export interface KnownList {
  /** Notes that a service declares a tool. */
  declare(entry: ToolEntry): void
  /** Notes that it does not any more, at least not under that name: from now on the tool is one that was seen. */
  withdraw(entry: ToolEntry): void
  /** Takes in what was declared and withdrawn, and which names changed hands among the listed tools. */
  update(traded: ReadonlyMap<string, Change<ToolEntry>>): void
  /** What another name stands for, or a name stands for now, since the last call; not what is available. */
  takeChanges(): ReadonlyMap<string, Change<ToolEntry>>
  /** What a name stands for. */
  get(name: string): ToolEntry | undefined
  /** The list, sorted by name; the same array as long as no name stands for something else. */
  read(): readonly ToolEntry[]
}

/**
 * Knows nothing yet.
 *
 * @param listed - The tool that is listed under a name.
 * @param limit - The most tools that are known though they are neither listed nor declared; what went first is forgotten first.
 * @param twins - Told which tools become known, and which are forgotten.
 */
export function createKnownList(
  listed: (name: string) => ToolEntry | undefined,
  limit: number,
  twins: NameTwins,
): KnownList {
  const known = new Map<string, ToolEntry>()
  // The known names that are neither listed nor declared now, in the order in which they went.
  const seen = new Set<string>()
  const list = createSortedList<ToolEntry>((entry) => entry.name)
  const declared = createClaims<ToolEntry>({
    keyOf: (entry) => entry.name,
    compare: byPathAndKey,
    limit: Number.POSITIVE_INFINITY, // bounded by the services, and by what their authors wrote
    onClash: () => undefined, // told when the loser would be listed
    onLimit: () => undefined,
  })
  let changes = new Map<string, Change<ToolEntry>>()
  const note = (before: ToolEntry | undefined, after: ToolEntry | undefined): void => {
    if (before === undefined && after !== undefined) twins.add(after)
    if (before !== undefined && after === undefined) twins.remove(before)
  }
  const put = (name: string, after: ToolEntry | undefined): void => {
    const earlier = changes.get(name)
    const before = earlier === undefined ? known.get(name) : earlier.before
    changes.set(name, { ...(before !== undefined && { before }), ...(after !== undefined && { after }) })
    note(known.get(name), after)
    if (after === undefined) known.delete(name)
    else known.set(name, after)
    list.set(name, after)
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
    update(traded) {
      for (const name of traded.keys()) takeIn(name)
      for (const name of declared.takeChanges().keys()) takeIn(name)
      // A set that is walked from its start is slow where much was deleted, so only when it must be.
      if (seen.size > limit) forgetOldest()
    },
    takeChanges() {
      const taken = changes
      if (taken.size > 0) changes = new Map()
      return taken
    },
    get: (name) => known.get(name),
    read: () => list.read(),
  }
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
}

/** Knows the names of our own tools only. */
export function createNameTwins(report: Report): NameTwins {
  const byFold = new Map<string, Set<string>>()
  for (const name of BUILT_IN_NAMES) byFold.set(foldToolName(name), new Set([name]))

  return {
    add({ name, path, key }) {
      const fold = foldToolName(name)
      const twins = byFold.get(fold) ?? new Set()
      byFold.set(fold, twins)
      const [twin] = twins
      twins.add(name)
      if (twin === undefined) return
      report({
        code: "name_alike",
        message: `action "${formatPath([...path, key])}" is named "${name}", and there is "${twin}": some hosts take them for one, or refuse both; give it a "toolName"`,
        path,
        key,
      })
    },
    remove({ name }) {
      const fold = foldToolName(name)
      const twins = byFold.get(fold)
      twins?.delete(name)
      if (twins?.size === 0) byFold.delete(fold)
    },
  }
}
