import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { checkAlive } from "./check-alive.js"
import type { Leg } from "./serve-http-leg.js"
import { toolFolder } from "./tools.js"

/** Serves the fixtures over stdio behind mcp-proxy: what somebody else's client makes of them. */
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

async function untilAlive(url: string): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    try {
      return await checkAlive(url)
    } catch (error) {
      if (Date.now() > deadline) throw error
      await wait(200)
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  if (typeof address !== "object" || address === null) throw new Error("no port is free")
  return address.port
}
