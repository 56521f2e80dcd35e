import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { fromSdkClient } from "./from-sdk-client.mjs"

/** Connects the client of SDK v1, configured like in hosts to list again at every notice. */
export async function connect(target) {
  const client = new Client({ name: "sdk-v1", version: "0.0.0" }, { listChanged: { tools: { onChanged() {} } } })
  const { url } = target
  await client.connect(
    url === undefined ? new StdioClientTransport(target) : new StreamableHTTPClientTransport(new URL(url)),
  )
  return fromSdkClient(client)
}
