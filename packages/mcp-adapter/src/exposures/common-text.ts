/**
 * Returns the words that all texts have at both ends, with `…` for the part that differs; `undefined` if less than half is the
 * same.
 */
export function commonText(texts: readonly string[]): string | undefined {
  const [first = ""] = texts
  if (texts.every((text) => text === first)) return first
  const words = texts.map((text) => text.split(" "))
  const shortest = Math.min(...words.map(({ length }) => length))
  const longest = Math.max(...words.map(({ length }) => length))
  const start = countCommon(words, shortest, (index) => index)
  const end = countCommon(words, shortest - start, (index) => -1 - index)
  const [own = []] = words
  if ((start + end) * 2 < longest) return undefined
  return [...own.slice(0, start), "…", ...(end === 0 ? [] : own.slice(-end))].join(" ")
}

function countCommon(words: readonly (readonly string[])[], most: number, placeOf: (index: number) => number): number {
  const [first = []] = words
  let count = 0
  while (count < most && words.every((each) => each.at(placeOf(count)) === first.at(placeOf(count)))) count += 1
  return count
}
