import { once } from "node:events"
import { createServer } from "node:http"
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node"
import {
  hostHeaderValidationResponse,
  isInitializeRequest,
  isLegacyRequest,
  localhostAllowedHostnames,
} from "@modelcontextprotocol/server"
import type { Leg } from "../run/serve-http-leg.js"
import { type LegacyBridge, openLegacyBridge } from "./legacy-bridge.js"
import { openModernBridge } from "./modern-bridge.js"

/**
 * Serves stdio fixtures behind an HTTP server that forwards messages unchanged, because the suites only speak HTTP. Each legacy
 * session has a process, and all modern requests share one.
 */
export async function serveBridge(): Promise<Leg> {
  const sessions: LegacyBridge[] = []
  const spare = await Promise.all(Array.from({ length: SPARE }, openLegacyBridge))
  const modern = await openModernBridge()
  const legacy = async (request: Request, body: unknown): Promise<Response> => {
    const id = request.headers.get("mcp-session-id")
    const known = sessions.find((session) => session.id() === id)
    if (known !== undefined) return known.fetch(request, body)
    if (!isInitializeRequest(body)) return new Response(null, { status: id === null ? 400 : 404 })
    spare.push(await openLegacyBridge())
    const opened = spare.shift() ?? (await openLegacyBridge())
    sessions.push(opened)
    return opened.fetch(request, body)
  }
  const handle = toNodeHandler({
    async fetch(request) {
      const refused = hostHeaderValidationResponse(request, localhostAllowedHostnames())
      if (refused !== undefined) return refused
      const body: unknown = request.method === "POST" ? await request.json() : undefined
      return (await isLegacyRequest(request, body)) ? legacy(request, body) : modern.fetch(request, body)
    },
  })
  const server = createServer((request, response) => {
    // Node's type has `method: string | undefined`, the SDK's an optional `method`. Both mean the same.
    void handle(request as NodeIncomingMessageLike, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.close()
      server.closeAllConnections()
      await Promise.all([modern.close(), ...[...sessions, ...spare].map((session) => session.close())])
    },
  }
}

/** The number of processes started ahead, since the suites wait only seconds and a busy machine starts slowly. */
const SPARE = 3
