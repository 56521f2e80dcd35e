import { closest, distance } from "fastest-levenshtein"

/** Says what can be chosen from: the one that was probably meant, where there is one, else all, or the first twenty. */
export function suggest(found: string, names: readonly string[]): string {
  const likely = nearest(found, names)
  if (likely !== undefined) return `did you mean "${likely}"?`
  if (names.length === 0) return "there is none"
  const more = names.length > shown ? ` and ${names.length - shown} more` : ""
  return `expected one of ${names.slice(0, shown).map(quote).join(", ")}${more}`
}

/** The name that was probably meant: no further away than a third of its letters, or two; `undefined` where none is. */
function nearest(found: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const likely = closest(found, names)
  return distance(found, likely) <= Math.max(2, Math.floor(likely.length / 3)) ? likely : undefined
}

function quote(name: string): string {
  return `"${name}"`
}

const shown = 20
