import { isRecord } from "@x/base"

/** A place in a value: keys and indices from its root. */
export type ValuePath = readonly (string | number)[]

/** Converts values sent for a published schema back to the author's schema. */
export interface Way {
  /** Restores a value's original shape. Never throws; idempotent. */
  restore(sent: unknown): unknown
  /** Maps a place in the restored value to the sent one. */
  locate(path: ValuePath, sent: unknown): ValuePath
}

/** Chains several ways. Returns `undefined` when there are none. */
export function sequence(ways: readonly (Way | undefined)[]): Way | undefined {
  const given = ways.filter((way) => way !== undefined)
  if (given.length < 2) return given[0]
  return {
    restore: (sent) => given.reduce((last, way) => way.restore(last), sent),
    locate(path, sent) {
      const before: unknown[] = []
      let value = sent
      for (const way of given) {
        before.push(value)
        value = way.restore(value)
      }
      return given.reduceRight((place, way, index) => way.locate(place, before[index]), path)
    },
  }
}

/** Creates the way of a list's items, which keep their indices. Anything but a list stays unchanged. */
export function itemsWay(wayOf: (index: number) => Way | undefined): Way {
  return {
    restore: (sent) => (Array.isArray(sent) ? sent.map((item, index) => restoreBy(wayOf(index), item)) : sent),
    locate(path, sent) {
      const [index, ...below] = path
      if (index === undefined || !Array.isArray(sent)) return path
      return [index, ...locateBy(wayOf(Number(index)), below, memberAt(sent, index))]
    },
  }
}

/** Creates the way of an object's members, which keep their names. Anything but an object stays unchanged. */
export function membersWay(wayOf: (name: string) => Way | undefined): Way {
  return {
    restore(sent) {
      if (!isRecord(sent)) return sent
      return Object.fromEntries(Object.entries(sent).map(([name, member]) => [name, restoreBy(wayOf(name), member)]))
    },
    locate(path, sent) {
      const [name, ...below] = path
      if (name === undefined || !isRecord(sent)) return path
      return [name, ...locateBy(wayOf(String(name)), below, memberAt(sent, name))]
    },
  }
}

/** Restores a value by an optional way. */
export function restoreBy(way: Way | undefined, sent: unknown): unknown {
  return way === undefined ? sent : way.restore(sent)
}

/** Maps a place by an optional way. */
export function locateBy(way: Way | undefined, path: ValuePath, sent: unknown): ValuePath {
  return way === undefined || path.length === 0 ? path : way.locate(path, sent)
}

/** Returns a value's own member or item. */
export function memberAt(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}
