import type { Server } from "node:http"
import type { Clock } from "../../runtime/clock.js"
import type { Ledger } from "../../runtime/ledger.js"
import { timerIn } from "../server/timer-in.js"

/** How {@link createServerCloser} closes. */
export interface ServerCloser {
  /** Stops listening, waits until the answers that are on their way are out or `grace` milliseconds are over, and closes every socket. */
  close(grace: number): Promise<void>
}

/** Closes a Node server without cutting off answers; made before the first request, because it counts them. */
export function createServerCloser(
  server: Server,
  host: { readonly ledger: Ledger; readonly clock: Clock },
): ServerCloser {
  let writing = 0
  let allOut = () => {}
  server.on("request", (_request, response) => {
    writing += 1
    response.once("close", () => {
      writing -= 1
      if (writing === 0) allOut()
    })
  })
  return {
    async close(grace) {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await new Promise<void>((resolve) => {
        if (writing === 0) return resolve()
        const cancel = timerIn(host, grace, resolve)
        allOut = () => {
          cancel()
          resolve()
        }
      })
      server.closeAllConnections()
      await closed
    },
  }
}
