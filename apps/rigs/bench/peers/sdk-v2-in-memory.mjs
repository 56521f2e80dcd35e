import { InMemoryTransport } from "@modelcontextprotocol/server"
import { createCaller } from "../src/in-memory-caller.mjs"
import { createApplication } from "./sdk-v2-parts.mjs"

export async function serve(options) {
  const [client, server] = InMemoryTransport.createLinkedPair()
  await createApplication(options).createServer().connect(server)
  return { run: await createCaller(client) }
}
