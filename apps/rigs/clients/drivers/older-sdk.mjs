import { fromSdkClient } from "./from-sdk-client.mjs"

/** Connects the client of an older SDK v1, which leaves listing after a notice to its host. */
export async function connect(target, name) {
  const [
    { Client },
    { StdioClientTransport },
    { StreamableHTTPClientTransport },
    { ToolListChangedNotificationSchema },
  ] = await Promise.all([
    import(`${name}/client/index.js`),
    import(`${name}/client/stdio.js`),
    import(`${name}/client/streamableHttp.js`),
    import(`${name}/types.js`),
  ])
  const client = new Client({ name, version: "0.0.0" })
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => client.listTools())
  const { url } = target
  await client.connect(
    url === undefined ? new StdioClientTransport(target) : new StreamableHTTPClientTransport(new URL(url)),
  )
  return fromSdkClient(client)
}
