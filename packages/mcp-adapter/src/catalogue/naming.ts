import { endsLikeShortHash } from "@x/base"
import { formatPath, type Path } from "../names/path.js"
import { checkToolName, foldHyphens, type ToolName, type ToolNamer } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import { byPathAndKey, type ToolEntry } from "./entry.js"

/** Names of the adapter's own tools on its endpoints. Actions are never listed under these names. */
export interface ReservedNames {
  /** Returns all reserved names. */
  all(): Iterable<string>
  /** Checks whether a name is reserved, or equals a reserved one to clients that turn `-` into `_`. */
  has(name: string): boolean
  /** Reserves names permanently. Called when an endpoint starts. */
  add(names: Iterable<string>): void
  /** Reserves names permanently once an action is long. Called when an endpoint starts. */
  addForLong(names: Iterable<string>): void
  /** Called when an action is long. */
  foundLong(): void
  /** Subscribes to added names. Returns a function that unsubscribes. */
  onAdd(listener: (name: string) => void): () => void
}

/** Creates an empty registry of reserved names. */
export function createReservedNames(): ReservedNames {
  const byFold = new Map<string, string>()
  const listeners = new Set<(name: string) => void>()
  const forLong = new Set<string>()
  let isLong = false
  const add = (names: Iterable<string>): void => {
    for (const name of names) {
      if (byFold.has(foldHyphens(name))) continue
      byFold.set(foldHyphens(name), name)
      for (const listener of listeners) listener(name)
    }
  }
  return {
    all: () => byFold.values(),
    has: (name) => byFold.has(foldHyphens(name)),
    add,
    addForLong(names) {
      for (const name of names) forLong.add(name)
      if (isLong) add(forLong)
    },
    foundLong() {
      if (isLong) return
      isLong = true
      add(forLong)
    },
    onAdd(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** An action's request for a name. */
export interface Wish {
  /** The service's path. */
  readonly path: Path
  /** The action's key. */
  readonly key: string
  /** The author's chosen name. */
  readonly chosen?: string | undefined
  /** Whether it is long. */
  readonly long?: boolean
}

/**
 * Assigns names over a whole catalogue, so that clients which turn `-` into `_` never see two equal names. A name without a
 * hyphen wins, then the first path. If both want exactly the same name, the one announced first keeps it. A displaced action's
 * name ends in a hash from then on, even after the winner is gone.
 */
export interface Naming {
  /**
   * Returns an action's current name.
   *
   * @throws RangeError if the author chose a name that hosts refuse.
   */
  nameOf(wish: Wish): ToolName
  /** Checks whether an entry still has its action's current name. */
  isCurrent(entry: ToolEntry): boolean
  /** Registers the holder of a name, and a function that recreates its entry when another action takes the name. */
  hold(entry: ToolEntry, renew: Renew): void
  /** Unregisters a removed entry. */
  release(entry: ToolEntry, renew: Renew): void
  /** Recreates entries whose names were taken since the last call. */
  renewDisplaced(): void
  /** Records that clients may have seen all current names. */
  settle(): void
  /** Unsubscribes from the reserved names. */
  close(): void
}

/** Recreates a key's entry. All entries of one service share the function. */
export type Renew = (key: string) => void

interface NamingOptions {
  readonly toolName: ToolNamer
  readonly reserved: ReservedNames
  /** The maximum of remembered displaced actions; the oldest are forgotten first. */
  readonly memory: number
  readonly report: Report
  /** Called when the adapter's own tools have taken names. */
  readonly onReserved: () => void
}

/** A name's holder or competitor. */
interface Claim extends Pick<ToolEntry, "path" | "key" | "name"> {
  /** Whether clients may have seen the name. */
  told: boolean
  /** One function per entry, which recreates it. */
  holders: readonly Renew[]
}

/** Creates a naming without holders. */
export function createNaming(options: NamingOptions): Naming {
  const { toolName, reserved } = options
  const byFold = new Map<string, readonly Claim[]>()
  const displaced = createDisplaced(options)
  const renewals: Claim[] = []
  let untold: Claim[] = []

  const groupOf = (name: string): readonly Claim[] => byFold.get(foldHyphens(name)) ?? []
  /** Returns the owner that keeps an action from its name. */
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
    nameOf({ path, key, chosen, long = false }) {
      if (long) reserved.foundLong()
      const own = chosen === undefined ? toolName(path, key) : { name: checkToolName(chosen), encoded: false }
      return own.encoded || mayHave({ path, key, name: own.name }) ? own : toolName(path, key, true)
    },
    isCurrent: (entry) => endsLikeShortHash(entry.name) || mayHave(entry),
    hold({ path, key, name }, renew) {
      // A name with a hash belongs to one action only.
      if (endsLikeShortHash(name)) return
      const others = groupOf(name)
      const id = idOf({ path, key, name })
      const known = others.find((claim) => idOf(claim) === id)
      if (known !== undefined) {
        known.holders = known.holders.concat(renew)
        return
      }
      const claim: Claim = { path, key, name, told: false, holders: [renew] }
      // Unlike a push or a spread, this leaves no room for further claims, since most names have one.
      const group = others.concat(claim)
      byFold.set(foldHyphens(name), group)
      untold.push(claim)
      const [winner = claim] = [...group].sort(compareClaims)
      displaceAll(group, winner)
    },
    release({ path, key, name }, renew) {
      const group = groupOf(name)
      const claim = group.find((each) => idOf(each) === idOf({ path, key, name }))
      if (claim === undefined) return
      const holder = claim.holders.indexOf(renew)
      claim.holders = claim.holders.filter((_, index) => index !== holder)
      if (claim.holders.length > 0) return
      const others = group.filter((each) => each !== claim)
      if (others.length === 0) byFold.delete(foldHyphens(name))
      else byFold.set(foldHyphens(name), others)
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

/** Creates the memory of actions that lost their name. */
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

/** The owner of a name: an action or an adapter tool. */
type Owner = Pick<Claim, "name"> & Partial<Pick<Claim, "path" | "key">>

/** Identifies an action with its wanted name: with another "toolName" it may get that. */
function idOf({ path, key, name }: Pick<Claim, "path" | "key" | "name">): string {
  return JSON.stringify([name, ...path, key])
}

function compareClaims(a: Omit<Claim, "holders">, b: Omit<Claim, "holders">): number {
  // A name that clients know must never lead to another action.
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
  const owner = winner.key === undefined ? "one of the adapter's own tools" : `action ${at(winner)}`
  const same = winner.name === name ? "" : `, which some clients cannot tell from "${winner.name}"`
  report({
    code: "name_clash",
    message: `action ${at({ path, key })} is named "${toolName(path, key, true).name}" instead of "${name}"${same}: that name belongs to ${owner}; give it another "toolName"`,
    path,
    key,
  })
}
