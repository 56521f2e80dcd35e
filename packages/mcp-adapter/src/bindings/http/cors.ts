/** Lets a page read the answer. Only for origins that passed the guard. */
export function shareWithOrigin(request: Request, response: Response): Response {
  const origin = request.headers.get("origin")
  if (origin === null) return response
  response.headers.set("access-control-allow-origin", origin)
  response.headers.set("access-control-expose-headers", EXPOSED)
  response.headers.append("vary", "Origin")
  return response
}

/** Answers what a browser asks before it sends a page's request. */
export function preflight(request: Request): Response {
  const asked = request.headers.get("access-control-request-headers")?.split(",") ?? []
  // A header for each annotated argument, named by the tool (2026-07-28, basic/transports/streamable-http).
  const params = asked.map((name) => name.trim().toLowerCase()).filter((name) => name.startsWith("mcp-param-"))
  return new Response(null, {
    status: 204,
    headers: {
      allow: METHODS,
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": [...ACCEPTED, ...params].join(", "),
      "access-control-max-age": "86400",
    },
  })
}

const METHODS = "GET, POST, DELETE, OPTIONS"
const EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After"
const ACCEPTED = [
  "accept",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "x-api-key",
  "x-session-id",
]
