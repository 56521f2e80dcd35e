import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** Listens until the test ends. @returns The URL of an endpoint. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => unknown,
): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const part of request) body += String(part)
    answer(request, response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}
