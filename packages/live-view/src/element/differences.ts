import { isRecord, type JsonValue, sameValue } from "@x/base"

/** One difference between two values. */
export interface Difference {
  /** Where it is, such as `cards[2].title`; empty for the whole value. */
  readonly path: string
  /** The value before; absent if it was added. */
  readonly before?: JsonValue
  /** The value now; absent if it was removed. */
  readonly now?: JsonValue
}

/** The most differences. */
const MOST = 30

/**
 * Finds where two values differ: the members of objects, the items of lists, the lines of a text. Items before and after a
 * changed part of a list stay what they were, so that one inserted item is one difference.
 *
 * @returns The first 30 differences, and whether there are more.
 */
export function findDifferences(
  before: JsonValue,
  now: JsonValue,
): { readonly found: readonly Difference[]; readonly more: boolean } {
  const found: Difference[] = []
  for (const difference of compare("", before, now)) {
    if (found.length === MOST) return { found, more: true }
    found.push(difference)
  }
  return { found, more: false }
}

function* compare(path: string, before: JsonValue, now: JsonValue): Generator<Difference> {
  if (sameValue(before, now)) return
  if (Array.isArray(before) && Array.isArray(now)) yield* compareLists(path, before, now)
  else if (isRecord(before) && isRecord(now)) yield* compareMembers(path, before, now)
  else if (isLong(before) && isLong(now)) yield compareLines(path, before, now)
  else yield { path, before, now }
}

function isLong(value: JsonValue): value is string {
  return typeof value === "string" && value.includes("\n")
}

type Members = Readonly<Record<string, JsonValue>>

function* compareMembers(path: string, before: Members, now: Members): Generator<Difference> {
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const place = path === "" ? key : `${path}.${key}`
    yield* compareItem(place, ownOf(before, key), ownOf(now, key))
  }
}

function ownOf(members: Members, key: string): JsonValue | undefined {
  return Object.hasOwn(members, key) ? members[key] : undefined
}

function* compareItem(path: string, before: JsonValue | undefined, now: JsonValue | undefined): Generator<Difference> {
  if (before !== undefined && now !== undefined) yield* compare(path, before, now)
  else if (before !== undefined) yield { path, before }
  else if (now !== undefined) yield { path, now }
}

function* compareLists(path: string, before: readonly JsonValue[], now: readonly JsonValue[]): Generator<Difference> {
  const { start, removed, added } = findChangedPart(before, now)
  const place = (index: number): string => `${path}[${start + index}]`
  // Of a part with as many items as before, each item was changed in place.
  if (removed.length === added.length) {
    for (const [index, item] of removed.entries()) yield* compareItem(place(index), item, added[index])
    return
  }
  for (const [index, item] of removed.entries()) yield { path: place(index), before: item }
  for (const [index, item] of added.entries()) yield { path: place(index), now: item }
}

function compareLines(path: string, before: string, now: string): Difference {
  const { start, removed, added } = findChangedPart(before.split("\n"), now.split("\n"))
  return {
    path: `${path === "" ? "" : `${path}, `}line ${start + 1}`,
    ...(removed.length > 0 && { before: removed.join("\n") }),
    ...(added.length > 0 && { now: added.join("\n") }),
  }
}

/** Leaves out the items at both ends that are equal. */
function findChangedPart<Item>(before: readonly Item[], now: readonly Item[]) {
  const shorter = Math.min(before.length, now.length)
  let start = 0
  while (start < shorter && sameValue(before[start], now[start])) start += 1
  let end = 0
  while (end < shorter - start && sameValue(before[before.length - 1 - end], now[now.length - 1 - end])) end += 1
  return { start, removed: before.slice(start, before.length - end), added: now.slice(start, now.length - end) }
}
