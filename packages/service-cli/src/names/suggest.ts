import { closest, distance } from "fastest-levenshtein"

/**
 * Suggests the name that was probably meant, or lists all names, at most twenty.
 *
 * @param never - The names that are only listed, such as those of actions that destroy: a typing error must not lead to one.
 */
export function suggest(found: string, names: readonly string[], never: ReadonlySet<string> = new Set()): string {
  const likely = nearest(
    found,
    names.filter((name) => !never.has(name)),
  )
  if (likely !== undefined) return `did you mean "${likely}"?`
  if (names.length === 0) return "there are none"
  const more = names.length > shown ? ` and ${names.length - shown} more` : ""
  return `expected one of ${names.slice(0, shown).map(quote).join(", ")}${more}`
}

/** Returns the most similar name, or `undefined` if more than a third of its letters differ (but at least two may). */
function nearest(found: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const likely = closest(found, names)
  return distance(found, likely) <= Math.max(2, Math.floor(likely.length / 3)) ? likely : undefined
}

function quote(name: string): string {
  return `"${name}"`
}

const shown = 20
