import { createMcpHandler } from "@modelcontextprotocol/server"
import { listen } from "./http-server.js"
import { createLab } from "./servers.js"

/** Serves the SDK's full test server over HTTP until the test ends. @returns The URL of its endpoint. */
export function serveLab(): Promise<string> {
  const handler = createMcpHandler(createLab)
  return listen(async ({ method = "GET", url = "/", headers }, response, body) => {
    const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
    const request = { method, headers: given, ...(method === "POST" && { body }) }
    const answer = await handler.fetch(new Request(new URL(url, "http://127.0.0.1"), request))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    if (answer.body !== null) for await (const part of answer.body) response.write(part)
    response.end()
  })
}
