import type { IncomingMessage, ServerResponse } from "node:http"
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import { z } from "zod"
import { listen } from "./http-server.js"
import type { Era } from "./servers.js"

/** A request received by a server. */
export interface Recorded {
  /** Its credentials. */
  readonly authorization: string | undefined
  /** Its legacy session. */
  readonly session: string | undefined
  /** Its MCP method; absent for a stream or a session's end. */
  readonly method: string | undefined
  /** The caller named by its arguments. */
  readonly as: unknown
}

/** Starts an SDK server over HTTP that records its requests. */
export async function startRecorder(
  era: Era,
): Promise<{ readonly url: string; readonly requests: readonly Recorded[] }> {
  const requests: Recorded[] = []
  const answer = era === "modern" ? answerModern() : answerLegacy()
  const url = await listen(async (request, response, body) => {
    const { authorization } = request.headers
    const { method, params = {} } = body === "" ? {} : JSON.parse(body)
    const session = request.headers["mcp-session-id"]?.toString()
    requests.push({ authorization, session, method, as: params.arguments?.as })
    await send(await answer(toRequest(request, response, body)), response)
  })
  return { url, requests }
}

function createSite(): McpServer {
  const server = new McpServer({ name: "site", version: "1" })
  const inputSchema = z.object({ as: z.string() })
  server.registerTool("whoami", { inputSchema }, (_, { http }) => ({
    content: [{ type: "text", text: String(http?.req?.headers.get("authorization")) }],
  }))
  server.registerResource("motto", "site://motto", {}, () => ({ contents: [{ uri: "site://motto", text: "cave" }] }))
  server.registerPrompt("letter", { argsSchema: inputSchema }, (_, { http }) => ({
    messages: [{ role: "user", content: { type: "text", text: String(http?.req?.headers.get("authorization")) } }],
  }))
  return server
}

type Answer = (request: Request) => Promise<Response>

function answerModern(): Answer {
  const handler = createMcpHandler(createSite)
  return (request) => handler.fetch(request)
}

function answerLegacy(): Answer {
  const sessions = new Map<string | null, WebStandardStreamableHTTPServerTransport>()
  return async (request) => {
    const known = sessions.get(request.headers.get("mcp-session-id"))
    if (known !== undefined) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await createSite().connect(transport)
    return transport.handleRequest(request)
  }
}

function toRequest(request: IncomingMessage, response: ServerResponse, body: string): Request {
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  const gone = new AbortController()
  response.on("close", () => gone.abort())
  const { method = "GET", url = "/" } = request
  return new Request(`http://127.0.0.1${url}`, { method, headers, signal: gone.signal, ...(body !== "" && { body }) })
}

async function send(answered: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answered.status, Object.fromEntries(answered.headers)).flushHeaders()
  const reader = answered.body?.getReader()
  response.on("close", () => void reader?.cancel().catch(() => undefined))
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) response.write(part.value)
  response.end()
}
