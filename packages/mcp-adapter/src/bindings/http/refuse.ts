/** An HTTP answer that carries a JSON-RPC error about no particular request. */
export function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })
}

/** Refuses an HTTP method, and names those that are allowed. */
export function methodNotAllowed(allow: string): Response {
  const response = refuse(405, -32000, "Method not allowed.")
  response.headers.set("allow", allow)
  return response
}

/** Answers a request to a path of links that leads nowhere, or to where nothing is served. */
export function nothingThere(): Response {
  return refuse(404, -32000, "Not Found: there is no MCP endpoint at this path now")
}
