import { createSlots, type Slots } from "../runtime/slots.js"

/** Possible changes of one map of a service: all members, unless the service says which ones changed. */
export interface MembersChange<Member> {
  /** Keys whose member came, went or may be another object. */
  readonly keys: Iterable<string>
  /** Returns a key's current member. Getters of a hand-written map may throw. */
  find(key: string): Member | undefined
}

/** Entries of one map of a service, kept up to date. */
export interface PublishedMembers<Member, Listed> {
  /**
   * Processes a change, as far as this task allows; without a change, processes the rest of earlier ones. Unchanged member
   * objects cost nothing.
   */
  update(change?: MembersChange<Member>): void
  /** Whether some changes remain. */
  unfinished(): boolean
  /** Recreates a key's entry, because its name was taken. Without a key recreates all, because the service moved. */
  renew(key?: string): void
  /** Returns a key's newest member. */
  member(key: string): Member | undefined
  /** Returns a key's entry. */
  entry(key: string): Listed | undefined
  /** Returns all entries. */
  entries(): Iterable<Listed>
  /** Removes every entry. */
  clear(): void
}

/** Options for turning members into entries. */
export interface PublishedMembersOptions<Member, Listed> {
  /** Returns whether this task allows another entry. Default: always. */
  readonly mayPublish?: () => boolean
  /**
   * Creates an entry from a member; `current` returns the key's newest member at any time. Throws when the member cannot be
   * published.
   */
  readonly publish: (key: string, member: Member, current: () => Member | undefined) => Listed
  /** Checks whether the entry for `before` can serve for `after`. */
  readonly same: (before: Listed, after: Listed) => boolean
  /** Checks whether a removed entry can be shown again unchanged. Default: always. */
  readonly isCurrent?: (entry: Listed) => boolean
  /** Called with each new entry. */
  readonly onAdd: (entry: Listed) => void
  /** Called with each removed entry. */
  readonly onRemove: (entry: Listed) => void
  /** Called with a kept entry that has a new member. */
  readonly onReplace?: (entry: Listed, before: Member, after: Member) => void
  /** Called with a member that cannot be published; once per object. */
  readonly onBroken: (key: string, cause: unknown) => void
}

interface Published<Member, Listed> {
  readonly member: Member
  /** Absent when publishing failed. */
  readonly entry: Listed | undefined
}

/** Creates the entries of an empty map. */
export function createPublishedMembers<Member extends object, Listed extends { readonly key: string }>(
  options: PublishedMembersOptions<Member, Listed>,
): PublishedMembers<Member, Listed> {
  const shelf = createShelf(options)
  // Changed keys that are not processed yet.
  const left = new Set<string>()
  let newest: MembersChange<Member> | undefined

  /** Processes a key. Returns false when this task allows no more. */
  const takeIn = (key: string, change: MembersChange<Member>): boolean => {
    const member = read(options, key, change)
    if (member !== undefined && shelf.isNew(key, member) && options.mayPublish?.() === false) return false
    left.delete(key)
    if (member === undefined) shelf.remove(key)
    else shelf.put(key, member)
    return true
  }

  return {
    update(change = newest) {
      if (change === undefined) return
      if (change !== newest) for (const key of change.keys) left.add(key)
      newest = change
      for (const key of left) if (!takeIn(key, change)) return
      newest = undefined
    },
    unfinished: () => left.size > 0,
    renew: shelf.renew,
    member: (key) => shelf.get(key)?.member,
    entry: (key) => shelf.get(key)?.entry,
    *entries() {
      for (const [, { entry }] of shelf.all()) if (entry !== undefined) yield entry
    },
    clear() {
      left.clear()
      for (const [key] of [...shelf.all()]) shelf.remove(key)
    },
  }
}

/** Published members, by key. */
interface Shelf<Member, Listed> extends Pick<Slots<Published<Member, Listed>>, "get" | "all"> {
  /** Checks whether a member has to be published. */
  isNew(key: string, member: Member): boolean
  /** Publishes a key's member, unless it is or was published already. */
  put(key: string, member: Member): void
  /** Removes a key. */
  remove(key: string): void
  /** Publishes a key's member again; without a key, every member. */
  renew(key?: string): void
}

function createShelf<Member extends object, Listed extends { readonly key: string }>(
  options: PublishedMembersOptions<Member, Listed>,
): Shelf<Member, Listed> {
  const { get, vacate, fill, all } = createSlots<Published<Member, Listed>>()
  // An action that comes and goes is the same object each time, so its entry is reused.
  let gone = new WeakMap<Member, Listed>()
  const takeBack = (key: string, member: Member): Listed | undefined => {
    const entry = gone.get(member)
    return entry?.key === key && options.isCurrent?.(entry) !== false ? entry : undefined
  }
  const tryPublish = (key: string, member: Member): Listed | undefined => {
    try {
      return options.publish(key, member, () => get(key)?.member)
    } catch (cause) {
      options.onBroken(key, cause)
      return undefined
    }
  }
  const remove = (key: string): void => {
    const before = get(key)
    vacate(key)
    if (before?.entry === undefined) return
    gone.set(before.member, before.entry)
    options.onRemove(before.entry)
  }
  const put = (key: string, member: Member): void => {
    const before = get(key)
    if (before?.member === member) return
    const entry = takeBack(key, member) ?? tryPublish(key, member)
    if (before?.entry !== undefined && entry !== undefined && options.same(before.entry, entry)) {
      // A kept entry has the same identity, which tells readers that nothing changed.
      fill(key, { member, entry: before.entry })
      options.onReplace?.(before.entry, before.member, member)
      return
    }
    if (before !== undefined) remove(key)
    fill(key, { member, entry })
    if (entry !== undefined) options.onAdd(entry)
  }
  return {
    get,
    all,
    isNew: (key, member) => get(key)?.member !== member && takeBack(key, member) === undefined,
    put,
    remove,
    renew(only) {
      if (only === undefined) gone = new WeakMap()
      for (const [key, member] of only === undefined ? membersOf(all()) : membersOf([[only, get(only)]])) {
        remove(key)
        // The removed entry belonged to the former path or name.
        gone.delete(member)
        put(key, member)
      }
    },
  }
}

/** Returns a copy, because the source changes during iteration. */
function membersOf<Member>(
  published: Iterable<readonly [string, { readonly member: Member } | undefined]>,
): readonly (readonly [string, Member])[] {
  return [...published].flatMap(([key, found]) => (found === undefined ? [] : [[key, found.member] as const]))
}

/** Reads a member. An unreadable member counts as absent. */
function read<Member, Listed>(
  options: PublishedMembersOptions<Member, Listed>,
  key: string,
  { find }: MembersChange<Member>,
): Member | undefined {
  try {
    return find(key)
  } catch (cause) {
    options.onBroken(key, cause)
    return undefined
  }
}
