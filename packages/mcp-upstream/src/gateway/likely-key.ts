import { closest, distance } from "fastest-levenshtein"

/** Returns the known key that an unknown one probably means; `undefined` if none is similar. */
export function likelyKey(key: string, known: readonly string[]): string | undefined {
  const likely = closest(key, known)
  return distance(key, likely) <= Math.max(2, Math.floor(likely.length / 3)) ? likely : undefined
}
