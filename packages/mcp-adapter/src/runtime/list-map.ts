/**
 * Maps lists that are each mostly the one before, one after the other: what stands at the beginning and at the end of both is
 * mapped once. Gives for equal lists what `list.map(map)` would, as long as `map` gives the same for the same.
 *
 * @param map - What an item becomes; items are told apart by identity.
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

/** How many items two lists have in common at their beginning, and how many more at their end. */
export function commonEnds(before: readonly object[], after: readonly object[]): Ends {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  return { head, tail }
}

/** What {@link commonEnds} finds. */
interface Ends {
  /** Items at the beginning. */
  readonly head: number
  /** Items at the end, none of which is in the head. */
  readonly tail: number
}
