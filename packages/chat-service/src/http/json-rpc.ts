/** What names a request to its client. */
export type RequestId = string | number | null

/** JSON-RPC's error, with a code of ours beside its own where there is one. */
export interface RpcError {
  /** JSON-RPC's code. */
  readonly code: number
  /** What went wrong. */
  readonly message: string
  /** The failure's own code, and what to do. */
  readonly data?: Readonly<Record<string, string>>
}

/** The codes that ORBIT's clients know, and the one for what is no request at all. */
export const INVALID_REQUEST = -32600
/** No such method, or no such tool. */
export const METHOD_NOT_FOUND = -32601
/** Missing or invalid parameters. */
export const INVALID_PARAMS = -32602
/** The rest. */
export const INTERNAL_ERROR = -32603

/** A message with a result. */
export function formatResult(id: RequestId, result: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: "2.0", result, id })
}

/** A message with an error. */
export function formatError(id: RequestId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", error, id })
}

/** An answer with an error. What is wrong with the call, and not with the request, is told by the body alone, with 200. */
export function toError(id: RequestId, error: RpcError, status = 200): Response {
  return new Response(formatError(id, error), { status, headers: { "content-type": "application/json" } })
}
