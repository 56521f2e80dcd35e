import { once } from "node:events"
import { createServer } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

/** Rejects unless a client finds the fixtures at a URL, because some scenarios pass against a dead server. */
export async function checkAlive(url: string): Promise<void> {
  const client = new Client({ name: "liveness", version: "0" })
  const transport = new StreamableHTTPClientTransport(new URL(url))
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    if (!tools.some(({ name }) => name === "test_simple_text"))
      throw new Error(`the fixture server does not answer at ${url}`)
    await transport.terminateSession()
  } finally {
    await client.close()
  }
}

/** Waits up to thirty seconds until a client finds the fixtures at a URL. */
export async function untilAlive(url: string): Promise<void> {
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

/** Returns a free port, for a program that does not report its own. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  if (typeof address !== "object" || address === null) throw new Error("no port is free")
  return address.port
}
