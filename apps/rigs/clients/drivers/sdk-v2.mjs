import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { fromSdkClient } from "./from-sdk-client.mjs"

/** Connects the client of SDK v2, configured like in hosts to list again at every notice. `mode`: "legacy" or "auto". */
export async function connect(target, mode) {
  const options = { listChanged: { tools: { onChanged() {} } }, versionNegotiation: { mode } }
  const client = new Client({ name: "sdk-v2", version: "0.0.0" }, options)
  const { url } = target
  await client.connect(
    url === undefined ? new StdioClientTransport(target) : new StreamableHTTPClientTransport(new URL(url)),
  )
  return fromSdkClient(client)
}
