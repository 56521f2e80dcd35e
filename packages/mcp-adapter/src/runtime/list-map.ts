/**
 * Creates a function that maps successive lists and reuses results: items at the beginning and end that are the same as in the
 * previous list are not mapped again. The result equals `list.map(map)` if `map` is pure.
 *
 * @param map - Maps one item; items are compared by identity.
 */
export function createListMap<From extends object, To>(
  map: (item: From) => To,
): (list: readonly From[]) => readonly To[] {
  let from: readonly From[] = []
  let to: readonly To[] = []
  return (list) => {
    const { head, tail } = commonEnds(from, list)
    const middle: To[] = []
    for (let index = head; index < list.length - tail; index += 1) {
      const item = list[index]
      if (item !== undefined) middle.push(map(item))
    }
    to = to.slice(0, head).concat(middle, to.slice(from.length - tail))
    from = list
    return to
  }
}

/** Returns how many items two lists share at their beginning, and how many more at their end. */
export function commonEnds(before: readonly object[], after: readonly object[]): Ends {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  return { head, tail }
}

/** The result of {@link commonEnds}. */
interface Ends {
  /** The number of shared items at the beginning. */
  readonly head: number
  /** The number of shared items at the end, not counting the head. */
  readonly tail: number
}
