/** An HTTP answer that carries a JSON-RPC error about no particular request. */
export function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status })
}
