import { setTimeout as delay } from "node:timers/promises"

export const title = "async generators"
export const packages = []

export function create(initial) {
  const waiting = new Set()
  let value = initial
  const write = (next) => {
    value = next
    for (const wake of waiting) wake()
  }
  async function* follow() {
    let dirty = true
    let wake = () => {}
    const changed = () => {
      dirty = true
      wake()
    }
    waiting.add(changed)
    try {
      for (;;) {
        while (dirty) {
          dirty = false
          yield value
        }
        await new Promise((resolve) => {
          wake = resolve
        })
      }
    } finally {
      waiting.delete(changed)
    }
  }
  return {
    source: { [Symbol.asyncIterator]: follow },
    write,
    touch() {
      value[0].done = true
      write([...value])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard) {
      const values = follow()
      void (async () => {
        for await (const next of values) heard(next)
      })()
      return () => void values.return()
    },
    // A suspended generator ends only when it resumes, so this writes a value to wake it.
    async followers() {
      write(value)
      await delay(50)
      return waiting.size
    },
  }
}
