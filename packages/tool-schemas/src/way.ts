import { isRecord } from "./json/json-value.js"

/** A place in a value: keys and indices from its root. */
export type ValuePath = readonly (string | number)[]

/** The way back from a value as it is sent for a published schema to the value that its author's schema is about. */
export interface Way {
  /** Undoes to a value what was done to the shape. Never throws; doing it twice is doing it once. */
  restore(sent: unknown): unknown
  /** Finds the place in what was sent that a place in what is restored from it comes from. */
  locate(path: ValuePath, sent: unknown): ValuePath
}

/** One way after the other; `undefined` where nothing is to be done. */
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

/** The way of some items of a list, which stay where they are; what is no list stays as it is. */
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

/** The way of some members of an object, which keep their names; what is no object stays as it is. */
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

/** Restores a value by a way that there may be. */
export function restoreBy(way: Way | undefined, sent: unknown): unknown {
  return way === undefined ? sent : way.restore(sent)
}

/** Finds a place by a way that there may be. */
export function locateBy(way: Way | undefined, path: ValuePath, sent: unknown): ValuePath {
  return way === undefined || path.length === 0 ? path : way.locate(path, sent)
}

/** What a value holds under a key or an index of its own. */
export function memberAt(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}
