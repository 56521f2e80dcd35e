import type { Server } from "node:http"
import { AdapterError } from "../../adapter-error.js"

/**
 * Lets a server listen.
 *
 * @returns The port that was taken.
 */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const inUse = cause.code === "EADDRINUSE"
      const problem = inUse
        ? 'is in use: close what uses it, or choose another with the option "port"'
        : "cannot be opened"
      reject(new AdapterError("listen_failed", `port ${port} on "${host}" ${problem}`, { cause }))
    })
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
}
