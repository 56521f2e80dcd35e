/**
 * Keeps what goes over a connection. An entry is a message and whom it is from ("client", "server"), or `{ opened: true }`
 * for a stream of notices that a legacy client has open, or `{ refused: status }` for a request over HTTP. `until` resolves to the first entry like that, at or after `from`.
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
