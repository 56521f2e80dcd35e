import { endsLikeShortHash } from "@x/tool-schemas/json"
import { formatPath, type Path } from "../names/path.js"
import { checkToolName, foldHyphens, type ToolName, type ToolNamer } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import { byPathAndKey, type ToolEntry } from "./entry.js"

/** The names of an adapter's own tools, as far as an endpoint of it has them. No action is listed under one of them. */
export interface ReservedNames {
  /** All of them. */
  all(): Iterable<string>
  /** Whether a name is one of them, or would be one to a client that turns `-` into `_`. */
  has(name: string): boolean
  /** Reserves names for good; called when an endpoint starts. */
  add(names: Iterable<string>): void
  /** Calls back after each name that is added; returns what ends that. */
  onAdd(listener: (name: string) => void): () => void
}

/** Creates a registry of reserved names that has none. */
export function createReservedNames(): ReservedNames {
  const byFold = new Map<string, string>()
  const listeners = new Set<(name: string) => void>()
  return {
    all: () => byFold.values(),
    has: (name) => byFold.has(foldHyphens(name)),
    add(names) {
      for (const name of names) {
        if (byFold.has(foldHyphens(name))) continue
        byFold.set(foldHyphens(name), name)
        for (const listener of listeners) listener(name)
      }
    },
    onAdd(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** An action that wants a name. */
export interface Wish {
  /** Where its service stands. */
  readonly path: Path
  /** Its key. */
  readonly key: string
  /** The name that its author chose. */
  readonly chosen?: string | undefined
}

/**
 * Decides over a whole catalogue which of several actions has a name that clients cannot tell apart, because it is the same after
 * `-` → `_`. The name without a hyphen goes before others, then the first path; where both want the very same name, the one that
 * was told of already keeps it. The others are displaced: their name ends in a hash from then on, whoever else goes.
 */
export interface Naming {
  /**
   * Returns the name that an action has now.
   *
   * @throws RangeError if the author chose one that no host takes.
   */
  nameOf(wish: Wish): ToolName
  /** Whether an entry still has the name that its action has now. */
  isCurrent(entry: ToolEntry): boolean
  /** Notes that an entry has its name, and how the entry is made again once another takes the name. */
  hold(entry: ToolEntry, renew: Renew): void
  /** Notes that the entry is gone. */
  release(entry: ToolEntry, renew: Renew): void
  /** Makes the entries again whose names were taken since the last call. */
  renewDisplaced(): void
  /** Notes that callers may have been told of every name there is. */
  settle(): void
  /** Ends the registration with the reserved names. */
  close(): void
}

/** Makes the entry of a key again. The same function for all entries of one service. */
export type Renew = (key: string) => void

interface NamingOptions {
  readonly toolName: ToolNamer
  readonly reserved: ReservedNames
  /** How many displaced actions are remembered; the oldest are forgotten first. */
  readonly memory: number
  readonly report: Report
  /** Called when names were taken by the adapter's own tools. */
  readonly onReserved: () => void
}

/** Something that has a name, or wants it. */
interface Claim extends Pick<ToolEntry, "path" | "key" | "name"> {
  /** Whether callers may have been told of it. */
  told: boolean
  /** How its entries are made again: one function for each entry. */
  readonly holders: Renew[]
}

/** Creates a naming in which no name is held. */
export function createNaming(options: NamingOptions): Naming {
  const { toolName, reserved } = options
  const byFold = new Map<string, Claim[]>()
  const displaced = createDisplaced(options)
  const renewals: Claim[] = []
  let untold: Claim[] = []

  const groupOf = (name: string): readonly Claim[] => byFold.get(foldHyphens(name)) ?? []
  /** What keeps a name from an action. */
  const rivalOf = (wish: Omit<Claim, "holders">): Owner | undefined => {
    if (reserved.has(wish.name)) return { name: wish.name }
    return groupOf(wish.name).find((claim) => idOf(claim) !== idOf(wish) && compareClaims(claim, wish) < 0)
  }
  const displaceAll = (claims: readonly Claim[], winner: Owner): void => {
    for (const claim of claims) {
      if (claim === winner) continue
      displaced.add(claim, winner)
      renewals.push(claim)
    }
  }
  const mayHave = (wish: Pick<Claim, "path" | "key" | "name">): boolean => {
    if (displaced.has(wish)) return false
    const rival = rivalOf({ ...wish, told: false })
    if (rival !== undefined) displaced.add(wish, rival)
    return rival === undefined
  }
  const stop = reserved.onAdd((name) => {
    const claims = groupOf(name)
    displaceAll(claims, { name })
    if (claims.length > 0) options.onReserved()
  })

  return {
    nameOf({ path, key, chosen }) {
      const own = chosen === undefined ? toolName(path, key) : { name: checkToolName(chosen), encoded: false }
      return own.encoded || mayHave({ path, key, name: own.name }) ? own : toolName(path, key, true)
    },
    isCurrent: (entry) => endsLikeShortHash(entry.name) || mayHave(entry),
    hold({ path, key, name }, renew) {
      // A name with a hash is nobody else's.
      if (endsLikeShortHash(name)) return
      const group = byFold.get(foldHyphens(name)) ?? []
      byFold.set(foldHyphens(name), group)
      const id = idOf({ path, key, name })
      const known = group.find((claim) => idOf(claim) === id)
      if (known !== undefined) return void known.holders.push(renew)
      const claim: Claim = { path, key, name, told: false, holders: [renew] }
      group.push(claim)
      untold.push(claim)
      const [winner = claim] = [...group].sort(compareClaims)
      displaceAll(group, winner)
    },
    release({ path, key, name }, renew) {
      const group = byFold.get(foldHyphens(name))
      const claim = group?.find((each) => idOf(each) === idOf({ path, key, name }))
      if (group === undefined || claim === undefined) return
      const holder = claim.holders.indexOf(renew)
      if (holder >= 0) claim.holders.splice(holder, 1)
      if (claim.holders.length > 0) return
      group.splice(group.indexOf(claim), 1)
      if (group.length === 0) byFold.delete(foldHyphens(name))
    },
    renewDisplaced() {
      for (let claim = renewals.pop(); claim !== undefined; claim = renewals.pop())
        for (const renew of new Set(claim.holders)) renew(claim.key)
    },
    settle() {
      for (const claim of untold) claim.told = true
      untold = []
    },
    close: stop,
  }
}

/** Creates a memory of actions whose name belongs to another. */
function createDisplaced(options: NamingOptions) {
  const ids = new Set<string>()
  return {
    has: (wish: Pick<Claim, "path" | "key" | "name">): boolean => ids.has(idOf(wish)),
    add(loser: Pick<Claim, "path" | "key" | "name">, winner: Owner): void {
      const id = idOf(loser)
      if (ids.has(id)) return
      ids.add(id)
      const [oldest] = ids
      if (ids.size > options.memory && oldest !== undefined) ids.delete(oldest)
      reportDisplaced(options, loser, winner)
    },
  }
}

/** What has a name: an action, or a tool of the adapter's own. */
type Owner = Pick<Claim, "name"> & Partial<Pick<Claim, "path" | "key">>

/** Tells actions apart, and the names that they want: one that gets another "toolName" may have that. */
function idOf({ path, key, name }: Pick<Claim, "path" | "key" | "name">): string {
  return JSON.stringify([name, ...path, key])
}

function compareClaims(a: Omit<Claim, "holders">, b: Omit<Claim, "holders">): number {
  // A name that callers know must not lead to something else.
  if (a.name === b.name && a.told !== b.told) return a.told ? -1 : 1
  const [isAFolded, isBFolded] = [foldHyphens(a.name) === a.name, foldHyphens(b.name) === b.name]
  if (isAFolded !== isBFolded) return isAFolded ? -1 : 1
  return byPathAndKey(a, b)
}

function reportDisplaced(
  { report, toolName }: NamingOptions,
  { path, key, name }: Pick<Claim, "path" | "key" | "name">,
  winner: Owner,
): void {
  const at = ({ path: there = [], key: last = "" }: Partial<Claim>): string => `"${formatPath([...there, last])}"`
  const owner = winner.key === undefined ? "a tool of the adapter's own" : `action ${at(winner)}`
  const same = winner.name === name ? "" : `, which some clients cannot tell from "${winner.name}"`
  report({
    code: "name_clash",
    message: `action ${at({ path, key })} is named "${toolName(path, key, true).name}" instead of "${name}"${same}: that name belongs to ${owner}; give it another "toolName"`,
    path,
    key,
  })
}
