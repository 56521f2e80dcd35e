import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

/** The two eras. */
export type Era = "legacy" | "modern"

/** Creates a client of one era for a server of both. */
export function createClient(era: Era, capabilities: ClientCapabilities = {}): Client {
  const info = { name: "test", version: "0" }
  return new Client(info, { capabilities, ...(era === "modern" && { versionNegotiation: { mode: "auto" } }) })
}

/** Creates a transport that reports when a legacy session's stream is open, because earlier notices are lost. */
export function createHttpTransport(
  url: string,
  authorization = "",
): {
  readonly transport: StreamableHTTPClientTransport
  readonly streaming: Promise<void>
} {
  let opened = () => {}
  const streaming = new Promise<void>((resolve) => {
    opened = resolve
  })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization } },
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (init?.method === "GET" && response.ok) opened()
      return response
    },
  })
  return { transport, streaming }
}
