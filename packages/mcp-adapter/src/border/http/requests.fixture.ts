import { createAgenticService } from "@x/agentic-service"
import { createMcpAdapter, type McpAdapter } from "../../create-adapter.js"
import type { McpAdapterOptions } from "../../options.js"

/** Creates an adapter of an empty service. */
export function createEmptyAdapter(options: McpAdapterOptions = {}): McpAdapter {
  return createMcpAdapter(createAgenticService({ name: "empty" }), options)
}

/** Creates a request like those of a local client. */
export function toRequest(method: string, headers: Readonly<Record<string, string>> = {}, body?: unknown): Request {
  return new Request("http://localhost/mcp", {
    method,
    headers: {
      host: "localhost",
      accept: "application/json, text/event-stream",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
}

/** Creates a modern request (2026-07-28) with the headers that repeat its body. */
export function toModern(method: string, params: object = {}, headers: Readonly<Record<string, string>> = {}): Request {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const all = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...headers }
  return toRequest("POST", all, { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } })
}

/** Creates the request that opens a legacy session. */
export function toInitialize(headers: Readonly<Record<string, string>> = {}): Request {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } }
  return toRequest("POST", headers, { jsonrpc: "2.0", id: 0, method: "initialize", params })
}

/** Creates a legacy request within a session. */
export function toPing(session: string): Request {
  return toRequest("POST", { "mcp-session-id": session }, { jsonrpc: "2.0", id: 1, method: "ping" })
}
