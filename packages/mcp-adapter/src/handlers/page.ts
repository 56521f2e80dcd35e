import type { CallContext } from "../calls/call-context.js"
import { addTo, INVALID_PARAMS, ProtocolError, type Result } from "./handler.js"

/** One page of a list, and where the next begins. */
export interface Page<Item> {
  /** The items, in the list's order. */
  readonly items: readonly Item[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

/** How a list is cut into pages. */
interface PageOptions<Item> {
  /** The key the list is sorted by, in code-unit order. */
  readonly keyOf: (item: Item) => string
  /** What the client sent as cursor. */
  readonly cursor: unknown
  /** The most items on a page. */
  readonly size: number
}

/**
 * Cuts one page out of a sorted list. The cursor says which key came last, not where it stood, so pages neither
 * repeat nor skip an item that stays while others come and go between them.
 *
 * @throws ProtocolError -32602 for a cursor that is not ours (2026-07-28, server/utilities/pagination).
 */
export function takePage<Item>(list: readonly Item[], { keyOf, cursor, size }: PageOptions<Item>): Page<Item> {
  const after = parseCursor(cursor)
  const start = after === undefined ? 0 : list.findIndex((item) => keyOf(item) > after)
  if (start < 0) return { items: [] }
  const items = list.slice(start, start + size)
  const last = items.at(-1)
  if (last === undefined || start + items.length >= list.length) return { items }
  return { items, nextCursor: formatCursor(keyOf(last)) }
}

/** Keys go through `encodeURIComponent`, because `btoa` takes no character beyond one byte. */
function formatCursor(key: string): string {
  return btoa(`${mark}${encodeURIComponent(key)}`)
}

function parseCursor(cursor: unknown): string | undefined {
  // We never give an empty cursor; clients that send one mean the beginning.
  if (cursor === undefined || cursor === "") return undefined
  try {
    const text = atob(String(cursor))
    if (text.startsWith(mark)) return decodeURIComponent(text.slice(mark.length))
  } catch (cause) {
    throw badCursor(cause)
  }
  throw badCursor()
}

function badCursor(cause?: unknown): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, "the cursor is not one of this list: start again without one", { cause })
}

const mark = "after:"

/**
 * Adds the cache hints that the modern era requires (2026-07-28, server/utilities/caching): stale at once, as a
 * change can follow at any time, and shared only where every caller is answered the same. Legacy clients get none.
 */
export function toCacheable(result: Result, { leg }: CallContext, shared: boolean): Result {
  return leg.era === "modern" ? addTo(result, { ttlMs: 0, cacheScope: shared ? "public" : "private" }) : result
}
