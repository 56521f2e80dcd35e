import xstream from "xstream"

// xstream is a CommonJS module, so its default export is nested in Node's.
const xs = xstream.default ?? xstream

export const title = "xstream"

export function create(initial) {
  const source = xs.createWithMemory()
  source.shamefullySendNext(initial)
  let value = initial
  const write = (next) => {
    value = next
    source.shamefullySendNext(next)
  }
  return {
    source,
    write,
    touch() {
      value[0].done = true
      write([...value])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard, failed) {
      const subscription = source.subscribe({ next: heard, error: failed })
      return () => subscription.unsubscribe()
    },
    followers: () => source._ils.length,
  }
}

export function createFailing(initial) {
  const made = create(initial)
  return { ...made, tellsErrors: true, fail: () => made.source.shamefullySendError(new Error("broken")) }
}
