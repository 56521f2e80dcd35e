import { showShort } from "@x/base"
import { toAgenticService } from "./foreign/to-agentic-service.js"
import type { Report } from "./report.js"
import type { AgenticService, Link } from "./service.js"
import { ServiceError } from "./service-error.js"

/** The links of a family's items. */
export interface ItemLinks<Item> {
  /**
   * Sets the items, and creates services for new ones. The cost depends on the items between the first and the last difference;
   * all others only have their key compared.
   *
   * @returns Keys whose link came, went or is another.
   */
  set(items: readonly Item[]): readonly string[]
  /** Returns the link of a key. */
  find(key: string): Link | undefined
  /** Returns the keys that have links, in the order of their items. */
  keys(): Iterable<string>
}

/** Functions of the family's author. */
interface ItemFunctions<Item> {
  /** Returns an item's link key. */
  readonly key: (item: Item) => string
  /** Creates an item's service. */
  readonly service: (item: Item) => AgenticService
}

/** A key's item and link. */
interface Kept<Item> {
  /** The last emitted item. */
  readonly item: Item
  /** Its link; absent when creating its service failed. */
  readonly link: Link | undefined
}

/** Items with their keys, by position. An item without a usable key has none. */
interface Row<Item> {
  readonly items: readonly Item[]
  readonly names: readonly (string | undefined)[]
}

/**
 * Creates the links of a family without items. A key's link stays the same object while the key stays, even if the item is a new
 * object. An item that returns under another key takes its link along, because keys such as indices move. An item whose key or
 * service fails is left out, and reported once while its key stays.
 */
export function createItemLinks<Item>({ key, service }: ItemFunctions<Item>, report: Report): ItemLinks<Item> {
  const known = new Map<string, Kept<Item>>()
  const makeRow = createRowMaker(key, report)
  let row: Row<Item> = { items: [], names: [] }
  let doubled: ReadonlySet<string> = new Set()
  /** Whether every item is there once and has a key of its own, so that a change says nothing about the others. */
  let isPlain = true

  const make = (name: string, item: Item): Link | undefined => {
    try {
      return { service: toAgenticService(service(item)) }
    } catch (cause) {
      report({ kind: "link", key: name, cause })
      return undefined
    }
  }
  /** Replaces some keys with their items by others. Returns keys with another link. */
  const replace = (before: ReadonlyMap<string, Kept<Item>>, after: ReadonlyMap<string, Item>): readonly string[] => {
    const links = new Map([...before.values()].map(({ item, link }) => [item, link]))
    const now = new Set(after.values())
    const keep = (name: string, item: Item): Link | undefined => {
      const own = before.get(name)
      if (own !== undefined && Object.is(own.item, item)) return own.link
      if (links.has(item)) return links.get(item)
      // The key's former item has another key now.
      return own === undefined || now.has(own.item) ? make(name, item) : own.link
    }
    const changed = [...before].flatMap(([name, { link }]) => (link && !after.has(name) ? [name] : []))
    const kept = [...after].map(([name, item]) => [name, { item, link: keep(name, item) }] as const)
    for (const name of before.keys()) if (!after.has(name)) known.delete(name)
    for (const [name, one] of kept) {
      if (before.get(name)?.link !== one.link) changed.push(name)
      known.set(name, one)
    }
    return changed
  }
  const setAll = (next: Row<Item>): readonly string[] => {
    const { first, again } = byKey(next)
    for (const name of again) if (!doubled.has(name)) report({ kind: "link", key: name, cause: duplicate(name) })
    doubled = again
    isPlain = again.size === 0 && new Set(next.items).size === next.items.length
    return replace(new Map(known), first)
  }
  /** Sets the items between the first and the last difference. Returns `undefined` if they concern others, too. */
  const setSome = (next: Row<Item>): readonly string[] | undefined => {
    const { before, after } = differing(row, next)
    const { first, again } = byKey(after)
    const former = new Map(before.names.flatMap((name) => keptUnder(known, name)))
    const isOurs = [...first.keys()].every((name) => former.has(name) || !known.has(name))
    const isOnce = again.size === 0 && new Set(after.items).size === after.items.length
    return isPlain && isOurs && isOnce ? replace(former, first) : undefined
  }

  return {
    set(items) {
      const next = makeRow(items)
      const changed = setSome(next) ?? setAll(next)
      row = next
      return changed
    },
    find: (name) => known.get(name)?.link,
    *keys() {
      for (const name of new Set(row.names)) if (name !== undefined && known.get(name)?.link !== undefined) yield name
    },
  }
}

function keptUnder<Item>(
  known: ReadonlyMap<string, Kept<Item>>,
  name: string | undefined,
): (readonly [string, Kept<Item>])[] {
  const kept = name === undefined ? undefined : known.get(name)
  return name === undefined || kept === undefined ? [] : [[name, kept]]
}

/** Creates a reader of items' keys. */
function createRowMaker<Item>(key: (item: Item) => string, report: Report): (items: readonly Item[]) => Row<Item> {
  const keyOf = (item: Item): string | undefined => {
    try {
      const found: unknown = key(item)
      if (typeof found === "string") return found
      // Untyped code may use a row number.
      if (typeof found === "number") return String(found)
      throw new ServiceError(`"key" returned ${showShort(found)}, expected a string`, { code: "invalid_definition" })
    } catch (cause) {
      report({ kind: "link", cause })
      return undefined
    }
  }
  // A copy, because the application may change its list in place.
  return (items) => ({ items: [...items], names: items.map(keyOf) })
}

/** Returns the first item of each key, and the keys that others have, too. */
function byKey<Item>({ items, names }: Row<Item>) {
  const first = new Map<string, Item>()
  const again = new Set<string>()
  items.forEach((item, index) => {
    const name = names[index]
    if (name === undefined) return
    if (first.has(name)) again.add(name)
    else first.set(name, item)
  })
  return { first, again }
}

/** Returns the parts of two rows between their first and their last difference. */
function differing<Item>(
  before: Row<Item>,
  after: Row<Item>,
): { readonly before: Row<Item>; readonly after: Row<Item> } {
  const most = Math.min(before.items.length, after.items.length)
  const isSame = (one: number, other: number): boolean =>
    before.names[one] === after.names[other] && Object.is(before.items[one], after.items[other])
  let head = 0
  while (head < most && isSame(head, head)) head += 1
  let tail = 0
  while (tail < most - head && isSame(before.items.length - 1 - tail, after.items.length - 1 - tail)) tail += 1
  return { before: part(before, head, tail), after: part(after, head, tail) }
}

function part<Item>({ items, names }: Row<Item>, head: number, tail: number): Row<Item> {
  const end = items.length - tail
  return { items: items.slice(head, end), names: names.slice(head, end) }
}

function duplicate(name: string): ServiceError {
  return new ServiceError(`found two items with key "${name}", expected one; the first is kept`, {
    code: "invalid_definition",
  })
}
