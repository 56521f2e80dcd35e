import { createSlots, type Slots } from "../runtime/slots.js"

/** What may have changed of one map of one service: all of it where the service does not say which members did. */
export interface MembersChange<Member> {
  /** The keys whose member came, went, or may be another object. */
  readonly keys: Iterable<string>
  /** The member of a key as it is now. A hand-written map may have a getter that throws. */
  find(key: string): Member | undefined
  /** The whole map as it is now. */
  whole(): Readonly<Record<string, Member>>
}

/** The entries made from one map of one service, kept in line with it. */
export interface PublishedMembers<Member, Listed> {
  /**
   * Takes in what changed, as far as there may be published now; without a change, what is left of earlier ones. Members that
   * are the same objects as before cost nothing more.
   */
  update(change?: MembersChange<Member>): void
  /** Whether something is left to be taken in. */
  unfinished(): boolean
  /** Makes the entry of a key again, because its name belongs to another; without a key all, because the service has another path. */
  renew(key?: string): void
  /** The member behind a key, as the newest map has it. */
  member(key: string): Member | undefined
  /** The entry made from a key. */
  entry(key: string): Listed | undefined
  /** All entries. */
  entries(): Iterable<Listed>
  /** Takes every entry back. */
  clear(): void
}

/** How members become entries. */
export interface PublishedMembersOptions<Member, Listed> {
  /** Whether another entry may be made within this task. Default: always. */
  readonly mayPublish?: () => boolean
  /** Makes an entry, with the way to the member behind the key at any time; throws when the member cannot be published. */
  readonly publish: (key: string, member: Member, current: () => Member | undefined) => Listed
  /** Whether the entry for `before` serves for `after` as well. */
  readonly same: (before: Listed, after: Listed) => boolean
  /** Whether an entry that was taken back can be shown again as it is. Default: always. */
  readonly isCurrent?: (entry: Listed) => boolean
  /** Told of each new entry. */
  readonly onAdd: (entry: Listed) => void
  /** Told of each entry that is gone. */
  readonly onRemove: (entry: Listed) => void
  /** Told of a key that stayed and has another member behind it. */
  readonly onReplace?: (entry: Listed, before: Member, after: Member) => void
  /** Told of a member that cannot be published; once, until it is another object. */
  readonly onBroken: (key: string, cause: unknown) => void
}

interface Published<Member, Listed> {
  readonly member: Member
  /** Absent when the member could not be published. */
  readonly entry: Listed | undefined
}

/** No members yet. */
export function createPublishedMembers<Member extends object, Listed extends { readonly key: string }>(
  options: PublishedMembersOptions<Member, Listed>,
): PublishedMembers<Member, Listed> {
  const shelf = createShelf(options)
  // What may have changed and was not looked at yet.
  const left = new Set<string>()
  let newest: MembersChange<Member> | undefined

  /** Whether there was room for it in this task. */
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

/** What is published, by key. */
interface Shelf<Member, Listed> extends Pick<Slots<Published<Member, Listed>>, "get" | "all"> {
  /** Whether the member would have to be published. */
  isNew(key: string, member: Member): boolean
  /** Publishes a member under a key, unless it is there or was before. */
  put(key: string, member: Member): void
  /** Takes away what is under a key. */
  remove(key: string): void
  /** Publishes the member of a key anew, or, without a key, everything. */
  renew(key?: string): void
}

function createShelf<Member extends object, Listed extends { readonly key: string }>(
  options: PublishedMembersOptions<Member, Listed>,
): Shelf<Member, Listed> {
  const { get, vacate, fill, all } = createSlots<Published<Member, Listed>>()
  // An action that comes and goes is the same object each time, so what was made of it serves again.
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
      // Keeping the entry keeps its identity, which is what tells readers that nothing changed for them.
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
        // It was made for the path or the name before.
        gone.delete(member)
        put(key, member)
      }
    },
  }
}

/** Returns a copy, as what it is made from changes while it is walked. */
function membersOf<Member>(
  published: Iterable<readonly [string, { readonly member: Member } | undefined]>,
): readonly (readonly [string, Member])[] {
  return [...published].flatMap(([key, found]) => (found === undefined ? [] : [[key, found.member] as const]))
}

/** A member that cannot be read is none. */
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
