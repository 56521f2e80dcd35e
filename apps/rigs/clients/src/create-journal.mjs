/**
 * Creates a record of a connection. An entry is a message with its sender ("client" or "server") and, over HTTP, the client's
 * headers; `{ opened: true }` for the notice stream of a legacy client; or `{ refused: status }` for an HTTP error. `until`
 * resolves to the first matching entry at or after the index `from`, or to `undefined` after `patience` milliseconds.
 */
export function createJournal() {
  const entries = []
  const waiting = new Set()
  return {
    entries,
    add(entry) {
      entries.push(entry)
      for (const look of waiting) look()
    },
    until(isIt, { from = 0, patience }) {
      return new Promise((resolve) => {
        const look = () => {
          const found = entries.slice(from).find(isIt)
          if (found !== undefined) settle(found)
        }
        const settle = (found) => {
          waiting.delete(look)
          clearTimeout(timer)
          resolve(found)
        }
        const timer = setTimeout(settle, patience)
        waiting.add(look)
        look()
      })
    },
  }
}
