import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

/** Fails unless a client finds the fixtures at a URL: against a dead server some scenarios pass. */
export async function checkAlive(url: string): Promise<void> {
  const client = new Client({ name: "liveness", version: "0" })
  const transport = new StreamableHTTPClientTransport(new URL(url))
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    if (!tools.some(({ name }) => name === "test_simple_text")) throw new Error(`no fixtures are served at ${url}`)
    await transport.terminateSession()
  } finally {
    await client.close()
  }
}
