import type { Server } from "@modelcontextprotocol/sdk/server/index.js"

/**
 * Tells when the client says that it is ready, and when the connection has ended, beside whoever was told of it before.
 *
 * @returns Stops it, and leaves the server as it was found.
 */
export function followServer(server: Server, { ready, ended }: { ready(): void; ended(): void }): () => void {
  const stops = [chain(server, "oninitialized", ready), chain(server, "onclose", ended)]
  return () => {
    for (const stop of stops) stop()
  }
}

function chain(server: Server, event: "oninitialized" | "onclose", then: () => void): () => void {
  const before = server[event]
  let following = true
  const both = () => {
    before?.()
    if (following) then()
  }
  server[event] = both
  return () => {
    following = false
    // Whoever came after us calls ours, so it has to stay.
    if (server[event] !== both) return
    if (before === undefined) delete server[event]
    else server[event] = before
  }
}
