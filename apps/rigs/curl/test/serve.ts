import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** The guide's running server. */
export interface Running {
  /** The server's URL. */
  readonly url: string
  /** Stops the server like a service manager. Resolves to its exit code. */
  stop(): Promise<number | null>
}

/** Starts the guide's server in a child process on a free port. */
export async function startServer(): Promise<Running> {
  const anyPort = new URL("../../../../tools/docs/examples/any-port.mjs", import.meta.url).href
  const entry = fileURLToPath(new URL("../dist/serve.js", import.meta.url))
  const server = spawn(process.execPath, ["--import", anyPort, entry], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(server, "exit")
  const lines = createInterface(server.stdout)
  const [url] = await Promise.race([
    once(lines, "line"),
    ended.then(([code]) => Promise.reject(new Error(`the server ended with ${code} before it listened`))),
  ])
  return {
    url,
    async stop() {
      server.kill("SIGTERM")
      const [code] = await ended
      return code
    },
  }
}
