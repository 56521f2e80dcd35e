import { randomUUID } from "node:crypto"
import {
  isJSONRPCRequest,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { openPipe } from "./pipe.js"

/** A legacy HTTP session connected to a process. */
export interface LegacyBridge {
  /** Answers a request of the session. */
  fetch(request: Request, parsedBody: unknown): Promise<Response>
  /** The session's id, once it has one. */
  id(): string | undefined
  /** Closes the session and the process. */
  close(): Promise<void>
}

/** Forwards messages unchanged in both directions. Messages without a request go to the newest open one. */
export async function openLegacyBridge(): Promise<LegacyBridge> {
  const http = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
  const open = new Set<RequestId>()
  const pipe = await openPipe((message) => {
    if (!("method" in message) && message.id !== undefined) open.delete(message.id)
    const relatedRequestId = "method" in message ? [...open].at(-1) : undefined
    const related = relatedRequestId === undefined ? {} : { relatedRequestId }
    http.send(message, related).catch(console.error)
  })
  http.onmessage = (message) => {
    if (isJSONRPCRequest(message)) open.add(message.id)
    pipe.send(message)
  }
  await http.start()
  return {
    fetch: (request, parsedBody) => http.handleRequest(request, { parsedBody }),
    id: () => http.sessionId,
    async close() {
      await http.close()
      await pipe.close()
    },
  }
}
