/** The entries made from one map of one service, kept in line with it. */
export interface PublishedMembers<Member, Listed> {
  /** Brings the entries in line with a new map. Members that are the same objects as before cost nothing more. */
  update(members: Readonly<Record<string, Member>>): void
  /** Makes every entry again, because the service has another path. */
  renew(): void
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
  /** Makes an entry; throws when the member cannot be published. */
  readonly publish: (key: string, member: Member) => Listed
  /** Whether the entry for `before` serves for `after` as well. */
  readonly same: (before: Listed, after: Listed) => boolean
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
export function createPublishedMembers<Member, Listed>(
  options: PublishedMembersOptions<Member, Listed>,
): PublishedMembers<Member, Listed> {
  const published = new Map<string, Published<Member, Listed>>()

  const remove = (key: string): void => {
    const entry = published.get(key)?.entry
    published.delete(key)
    if (entry !== undefined) options.onRemove(entry)
  }
  const put = (key: string, member: Member): void => {
    const before = published.get(key)
    if (before?.member === member) return
    const entry = tryPublish(options, key, member)
    if (before?.entry !== undefined && entry !== undefined && options.same(before.entry, entry)) {
      // Keeping the entry keeps its identity, which is what tells readers that nothing changed for them.
      published.set(key, { member, entry: before.entry })
      options.onReplace?.(before.entry, before.member, member)
      return
    }
    if (before !== undefined) remove(key)
    published.set(key, { member, entry })
    if (entry !== undefined) options.onAdd(entry)
  }

  return {
    update(members) {
      const keys = new Set(Object.keys(members))
      for (const key of [...published.keys()]) if (!keys.has(key)) remove(key)
      for (const key of keys) {
        const member = read(options, key, members)
        if (member === undefined) remove(key)
        else put(key, member)
      }
    },
    renew() {
      for (const [key, { member }] of [...published]) {
        remove(key)
        put(key, member)
      }
    },
    member: (key) => published.get(key)?.member,
    entry: (key) => published.get(key)?.entry,
    *entries() {
      for (const { entry } of published.values()) if (entry !== undefined) yield entry
    },
    clear() {
      for (const key of [...published.keys()]) remove(key)
    },
  }
}

/** A hand-written map may have a getter that throws. */
function read<Member, Listed>(
  options: PublishedMembersOptions<Member, Listed>,
  key: string,
  members: Readonly<Record<string, Member>>,
): Member | undefined {
  try {
    return members[key]
  } catch (cause) {
    options.onBroken(key, cause)
    return undefined
  }
}

function tryPublish<Member, Listed>(
  options: PublishedMembersOptions<Member, Listed>,
  key: string,
  member: Member,
): Listed | undefined {
  try {
    return options.publish(key, member)
  } catch (cause) {
    options.onBroken(key, cause)
    return undefined
  }
}
