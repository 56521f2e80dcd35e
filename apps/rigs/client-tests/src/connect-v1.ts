import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { CallToolResultSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import { createInbox } from "./create-inbox.js"
import { createPeer } from "./create-peer.js"
import { createStreamingFetch } from "./create-streaming-fetch.js"
import type { Peer, Server } from "./peer.js"

/** Connects SDK v1's client in the legacy era, over HTTP with a session and a notice stream. */
export async function connectV1(server: Server): Promise<Peer> {
  const { notices, listChanged, updated } = createInbox()
  const client = new Client({ name: "v1", version: "1.0.0" }, { listChanged })
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated(params.uri))
  await ("url" in server ? overHttp(client, server.url) : client.connect(new StdioClientTransport(server)))
  return createPeer(client, {
    era: "legacy",
    notices,
    callTool: async (params, options) =>
      CallToolResultSchema.parse(await client.callTool(params, CallToolResultSchema, options)),
    follow: (uri) => client.subscribeResource({ uri }),
  })
}

async function overHttp(client: Client, url: string): Promise<void> {
  const { fetch, streaming } = createStreamingFetch()
  // The SDK does not know "exactOptionalPropertyTypes": the session id of this transport may be undefined.
  const transport = new StreamableHTTPClientTransport(new URL(url), { fetch }) as Transport
  await client.connect(transport)
  await streaming
}
