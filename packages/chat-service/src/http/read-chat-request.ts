import type { Visitor } from "@x/mcp-adapter/fetch"
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, type RequestId, toError } from "./json-rpc.js"

/** What a client asks. */
export interface ChatRpc {
  /** Its name for the request. */
  readonly id: RequestId
  /** The arguments of `chat`, not checked yet. */
  readonly args: Readonly<Record<string, unknown>>
  /** Whether it wants to hear the answer as it grows. */
  readonly stream: boolean
  /** Its name for the conversation. */
  readonly session: string
}

/** Reads a request as far as it is the same for every agent; or gives the answer that says what is wrong with it. */
export async function readChatRequest({ request, readBody }: Visitor): Promise<ChatRpc | Response> {
  if (request.method !== "POST") {
    const response = toError(null, { code: -32000, message: "found another method, expected POST" }, 405)
    response.headers.set("allow", "POST")
    return response
  }
  const session = request.headers.get(SESSION)
  if (session === null || session === "" || session.length > MAX_SESSION) {
    const message = `the header "${SESSION}" is missing or too long: expected 1 to ${MAX_SESSION} characters`
    return toError(null, { code: INVALID_REQUEST, message }, 400)
  }
  const read = await readBody()
  return read.ok ? readRpc(read.body, session) : read.response
}

const SESSION = "X-Session-ID"
const MAX_SESSION = 256

function readRpc(body: unknown, session: string): ChatRpc | Response {
  const { jsonrpc, id, method, params } = toRecord(body)
  if (jsonrpc !== "2.0" || typeof method !== "string" || !isId(id)) {
    const message =
      'the body is no JSON-RPC request: expected "jsonrpc": "2.0", "method" and "id", a string or a number'
    return toError(null, { code: INVALID_REQUEST, message }, 400)
  }
  if (method !== "tools/call") {
    return toError(id, { code: METHOD_NOT_FOUND, message: `Method not found: ${method.slice(0, SHOWN)}` })
  }
  const { name, arguments: args } = toRecord(params)
  if (typeof name !== "string" || typeof args !== "object" || args === null || Array.isArray(args)) {
    const message = 'Invalid params: expected "name", which is "chat", and "arguments", an object'
    return toError(id, { code: INVALID_PARAMS, message })
  }
  if (name !== "chat") {
    return toError(id, { code: METHOD_NOT_FOUND, message: `Method not found: tool "${name.slice(0, SHOWN)}"` })
  }
  const given = toRecord(args)
  return { id, args: given, stream: given["stream"] === true, session }
}

/** A longer name is not worth repeating. */
const SHOWN = 128

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number"
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}
