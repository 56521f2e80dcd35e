/**
 * Returns whether a text matches a pattern, in which a `*` matches any characters. Takes at most the product of both lengths,
 * since strangers choose the text.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0
  let next = 0
  let star = -1
  let after = 0
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next
      after = at
      next += 1
    } else if (next < pattern.length && pattern[next] === text[at]) {
      next += 1
      at += 1
    } else if (star >= 0) {
      // Let the last star match one more character.
      after += 1
      at = after
      next = star + 1
    } else return false
  }
  while (pattern[next] === "*") next += 1
  return next === pattern.length
}
