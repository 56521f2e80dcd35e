import type { CallContext } from "../calls/call-context.js"
import { addTo, INVALID_PARAMS, ProtocolError, type Result } from "./handler.js"

/** One page, plus the next one's cursor. */
export interface Page<Item> {
  /** The page's items, in list order. */
  readonly items: readonly Item[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

/** Options of cutting a list into pages. */
interface PageOptions<Item> {
  /** Returns the sort key, compared in code-unit order. */
  readonly keyOf: (item: Item) => string
  /** The client's cursor. */
  readonly cursor: unknown
  /** The page size. */
  readonly size: number
}

/**
 * Cuts one page from a sorted list. The cursor contains the last key, not its index, so pages neither repeat nor skip remaining
 * items while others come and go.
 *
 * @throws ProtocolError -32602 if the cursor is not ours (2026-07-28, server/utilities/pagination).
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

/** Formats a cursor. `encodeURIComponent` is needed, because `btoa` accepts only single-byte characters. */
function formatCursor(key: string): string {
  return btoa(`${mark}${encodeURIComponent(key)}`)
}

function parseCursor(cursor: unknown): string | undefined {
  // We never issue an empty cursor; clients that send one mean the beginning.
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
  return new ProtocolError(INVALID_PARAMS, "the cursor does not belong to this list: start again without one", {
    cause,
  })
}

const mark = "after:"

/**
 * Adds the cache hints that the modern era requires (2026-07-28, server/utilities/caching): immediately stale, because a change
 * may follow at any time, and shared only when all callers get the same answer. Legacy clients get none.
 */
export function toCacheable(result: Result, { leg }: CallContext, shared: boolean): Result {
  return leg.era === "modern" ? addTo(result, { ttlMs: 0, cacheScope: shared ? "public" : "private" }) : result
}
