import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** The guide's server, running. */
export interface Running {
  /** Where it is. */
  readonly url: string
  /** Ends it as a service manager does, and says with what exit code it ended. */
  stop(): Promise<number | null>
}

/** Starts the guide's server as a program of its own, at any port. */
export async function startServer(): Promise<Running> {
  const anyPort = new URL("../../../../.ci/docs-examples/any-port.mjs", import.meta.url).href
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
