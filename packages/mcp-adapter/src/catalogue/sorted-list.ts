/** A list sorted by key that is put together only when somebody reads it. */
export interface SortedList<Listed> {
  /** Sets what a key stands for; `undefined` removes it. */
  set(key: string, entry: Listed | undefined): void
  /** The list, in code-unit order of the keys; the same array as long as nothing was set. */
  read(): readonly Listed[]
}

/** An empty list. */
export function createSortedList<Listed>(keyOf: (entry: Listed) => string): SortedList<Listed> {
  let list: readonly Listed[] = []
  const pending = new Map<string, Listed | undefined>()
  return {
    set(key, entry) {
      pending.set(key, entry)
    },
    read() {
      if (pending.size > 0) {
        list = merge(list, pending, keyOf)
        pending.clear()
      }
      return list
    },
  }
}

/** One pass over the old list: drops what was set, and weaves in the new entries, which alone are sorted. */
function merge<Listed>(
  list: readonly Listed[],
  pending: ReadonlyMap<string, Listed | undefined>,
  keyOf: (entry: Listed) => string,
): readonly Listed[] {
  const arrivals = [...pending].filter((pair): pair is [string, Listed] => pair[1] !== undefined)
  arrivals.sort(([a], [b]) => compareText(a, b))
  const merged: Listed[] = []
  let next = 0
  const takeArrivalsBefore = (key: string | undefined): void => {
    for (let arrival = arrivals[next]; arrival && (key === undefined || arrival[0] < key); arrival = arrivals[next]) {
      merged.push(arrival[1])
      next += 1
    }
  }
  for (const entry of list) {
    const key = keyOf(entry)
    if (pending.has(key)) continue
    takeArrivalsBefore(key)
    merged.push(entry)
  }
  takeArrivalsBefore(undefined)
  return Object.freeze(merged)
}

/** Code-unit order: the same on every machine, whatever the locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
