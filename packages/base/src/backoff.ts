/** The bounds of a {@link backoff}. */
export interface BackoffLimits {
  /** The longest wait after the first failure, in milliseconds. */
  readonly firstMs: number
  /** The longest wait after any failure, in milliseconds. */
  readonly mostMs: number
}

/**
 * Returns how long to wait after so many failures in a row: twice as long each time, times a random factor between 0.5 and 1,
 * so that clients which lost one server do not come back at once.
 *
 * @param failures - How many attempts failed since the last success, at least 1.
 * @returns Whole milliseconds.
 *
 * @example
 * ```ts
 * import { backoff } from "@x/base"
 *
 * const ms = backoff(3, { firstMs: 100, mostMs: 5_000 })
 * console.log(ms >= 200 && ms <= 400) // true
 * ```
 */
export function backoff(failures: number, { firstMs, mostMs }: BackoffLimits): number {
  // Beyond 2 ** 20 the doubling would only leave the range of numbers.
  const wait = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 20))
  return Math.round(wait * (0.5 + Math.random() / 2))
}
