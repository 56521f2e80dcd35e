import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { createInbox } from "./create-inbox.js"
import { createPeer } from "./create-peer.js"
import { createStreamingFetch } from "./create-streaming-fetch.js"
import type { Peer, Server } from "./peer.js"

/** Connects SDK v2's client with its defaults: in the legacy era, over HTTP with a session and a stream. */
export function connectV2Legacy(server: Server): Promise<Peer> {
  return connect(server, "legacy")
}

/** Connects SDK v2's client in the newest era of the server. */
export function connectV2Auto(server: Server): Promise<Peer> {
  return connect(server, "auto")
}

async function connect(server: Server, mode: "legacy" | "auto"): Promise<Peer> {
  const { notices, listChanged, updated } = createInbox()
  const client = new Client({ name: "v2", version: "1.0.0" }, { listChanged, versionNegotiation: { mode } })
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => updated(params.uri))
  await ("url" in server ? overHttp(client, server.url) : client.connect(new StdioClientTransport(server)))
  const era = client.getProtocolEra() ?? "legacy"
  return createPeer(client, {
    era,
    notices,
    callTool: (params, options) => client.callTool(params, options),
    follow: (uri) =>
      era === "modern" ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri }),
  })
}

async function overHttp(client: Client, url: string): Promise<void> {
  const { fetch, streaming } = createStreamingFetch()
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }))
  await streaming
}
