import { source } from "@x/agentic-service"
import { Subject } from "rxjs"

export const title = "a getter and setter of your own"
export const packages = []

export function create(initial) {
  let value = initial
  const changes = new Subject()
  const accessor = (...next) => {
    if (next.length === 0) return value
    value = next[0]
    changes.next()
    return value
  }
  return {
    source: accessor,
    it: accessor,
    changes,
    alsoRefused: [
      (next) => accessor(...(next === undefined ? [] : [next])),
      () => value,
      (...next) => {
        for (const each of next) value = each
        return value
      },
    ],
    write: (next) => accessor(next),
    touch() {
      value[0].done = true
      changes.next()
    },
    batch(one, two) {
      accessor(one)
      accessor(two)
    },
    listen(heard) {
      heard(value)
      const subscription = changes.subscribe(() => heard(value))
      return () => subscription.unsubscribe()
    },
    followers: () => changes.observers.length,
  }
}

export const line = ({ it, changes }) => source.read(() => it(), { changes })
