import type { CallContext } from "../calls/call-context.js"
import type { Result } from "./handlers.js"

/**
 * Adds the cache hints that the modern era requires (2026-07-28, server/utilities/caching): stale at once, as a
 * change can follow at any time, and shared only where every caller is answered the same. Legacy clients get none.
 */
export function toCacheable(result: Result, { leg }: CallContext, shared: boolean): Result {
  return leg.era === "modern" ? { ...result, ttlMs: 0, cacheScope: shared ? "public" : "private" } : result
}
