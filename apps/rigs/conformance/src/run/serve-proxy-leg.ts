import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { freePort, untilAlive } from "./check-alive.js"
import type { Leg } from "./serve-http-leg.js"
import { toolFolder } from "./tools.js"

/** Serves the stdio fixtures behind mcp-proxy, which tests them with an independent client. */
export async function serveProxyLeg(): Promise<Leg> {
  const port = await freePort()
  const proxy = join(toolFolder("mcp-proxy"), "dist", "bin", "mcp-proxy.mjs")
  const options = ["--host", "127.0.0.1", "--port", String(port), "--server", "stream", "--upstreamProtocol", "auto"]
  const command = [process.execPath, join(import.meta.dirname, "..", "serve.js")]
  const child = spawn(process.execPath, [proxy, ...options, "--", ...command], { stdio: "ignore" })
  const ended = once(child, "exit")
  const url = `http://localhost:${port}/mcp`
  await untilAlive(url)
  return {
    url,
    async close() {
      child.kill()
      await ended
    },
  }
}
