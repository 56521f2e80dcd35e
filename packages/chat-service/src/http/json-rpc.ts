import type { Block, Failure, Success } from "@x/agentic-service"
import { isRecord } from "@x/base"
import type { CallAnswer } from "@x/mcp-adapter"
import type { Answer, Visitor } from "@x/mcp-adapter/fetch"

/** A client's request. */
export interface ChatRpc {
  /** The request id. */
  readonly id: RequestId
  /** The arguments of `chat`, unchecked. */
  readonly args: Readonly<Record<string, unknown>>
  /** Whether to stream the answer. */
  readonly stream: boolean
  /** The session id. */
  readonly session: string
}

/** Parses the part of a request that all agents share, or returns an error response. */
export async function readChatRequest({ head, readBody }: Visitor): Promise<ChatRpc | Answer> {
  if (head.method !== "POST") {
    const answer = toError(null, { code: -32000, message: `found ${head.method.slice(0, SHOWN)}, expected POST` }, 405)
    return { ...answer, headers: { ...answer.headers, allow: "POST" } }
  }
  const session = head.headers.get(SESSION)
  if (session === null || session === "" || session.length > MAX_SESSION) {
    const message = `the header "${SESSION}" is missing or too long, expected 1 to ${MAX_SESSION} characters`
    return toError(null, { code: INVALID_REQUEST, message }, 400)
  }
  const read = await readBody()
  return read.ok ? readRpc(read.body, session) : read.answer
}

const SESSION = "X-Session-ID"
const MAX_SESSION = 256

function readRpc(body: unknown, session: string): ChatRpc | Answer {
  const { jsonrpc, id, method, params } = isRecord(body) ? body : {}
  if (jsonrpc !== "2.0" || typeof method !== "string" || !isId(id)) {
    const message =
      'the body is not a JSON-RPC request, expected "jsonrpc": "2.0", a "method", and an "id" that is a string or a number'
    return toError(null, { code: INVALID_REQUEST, message }, 400)
  }
  if (method !== "tools/call") {
    return toError(id, { code: METHOD_NOT_FOUND, message: `Method not found: ${method.slice(0, SHOWN)}` })
  }
  const { name, arguments: args } = isRecord(params) ? params : {}
  if (typeof name !== "string" || !isRecord(args)) {
    const message = 'Invalid params: expected "name": "chat" and an object as "arguments"'
    return toError(id, { code: INVALID_PARAMS, message })
  }
  if (name !== "chat") {
    return toError(id, { code: METHOD_NOT_FOUND, message: `Method not found: tool "${name.slice(0, SHOWN)}"` })
  }
  return { id, args, stream: args["stream"] === true, session }
}

/** The most characters of a name to repeat in errors. */
const SHOWN = 128

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number"
}

/** A request id. */
type RequestId = string | number | null

/** A JSON-RPC error, with the failure's own code beside it. */
interface RpcError {
  /** The JSON-RPC code. */
  readonly code: number
  /** The message. */
  readonly message: string
  /** The failure's own code and recovery. */
  readonly data?: Readonly<Record<string, string>>
}

/** The error for requests and running calls while the server closes. */
export const CLOSING: RpcError = { code: -32000, message: "the server is closing" }

/** The error codes that ORBIT's clients know. This one marks an invalid request. */
const INVALID_REQUEST = -32600
/** Unknown method or tool. */
const METHOD_NOT_FOUND = -32601
/** Missing or invalid parameters. */
const INVALID_PARAMS = -32602
/** All other errors. */
const INTERNAL_ERROR = -32603

/** Serializes a result. */
export function formatResult(id: RequestId, result: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: "2.0", result, id })
}

/** Serializes an error. */
export function formatError(id: RequestId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", error, id })
}

/** Creates an error response. Errors of a call, as opposed to the request, have status 200. */
export function toError(id: RequestId, error: RpcError, status = 200): Answer {
  return { status, headers: { "content-type": "application/json" }, body: formatError(id, error) }
}

/** An answer in this protocol's terms, which has text only: images and other media are left out. */
export type Reply =
  | { readonly ok: true; readonly text: string; readonly sources: readonly string[] }
  | { readonly ok: false; readonly error: RpcError }

/**
 * Converts the answer of a call.
 *
 * @param closing - Whether the closing server, and not its client, has stopped the call.
 */
export function toReply(answer: CallAnswer, closing: boolean): Reply {
  if (closing && answer.kind === "settled" && !answer.outcome.ok && answer.outcome.code === "aborted") {
    return { ok: false, error: CLOSING }
  }
  switch (answer.kind) {
    case "settled":
      return answer.outcome.ok ? toSuccess(answer.outcome) : { ok: false, error: toRpcError(answer.outcome) }
    case "unknown":
      return { ok: false, error: { code: METHOD_NOT_FOUND, message: "Method not found: this server has no chat" } }
    case "handed":
    case "asked":
    case "incapable":
      return {
        ok: false,
        error: {
          code: INTERNAL_ERROR,
          message:
            "the agent asks a person first, or goes on as a task, which this protocol does not support: use MCP instead",
        },
      }
  }
}

function toSuccess({ value, content = [] }: Success): Reply {
  const said = textOf(value)
  if (said !== undefined) return { ok: true, text: said, sources: content.flatMap(toSource) }
  const [first, ...rest] = content
  if (first?.type !== "text") return { ok: true, text: "", sources: content.flatMap(toSource) }
  return { ok: true, text: first.text, sources: rest.flatMap(toSource) }
}

/** Returns a value's text, if any. Otherwise the first block counts. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null || !("text" in value)) return undefined
  return typeof value.text === "string" ? value.text : undefined
}

function toSource(block: Block): readonly string[] {
  if (block.type === "resource_link") return [block.uri]
  return block.type === "text" ? [block.text] : []
}

function toRpcError({ code, message, recovery }: Failure): RpcError {
  const data = { ...(code !== undefined && { code }), ...(recovery !== undefined && { recovery }) }
  return { code: CODES.get(code ?? "") ?? INTERNAL_ERROR, message, ...(Object.keys(data).length > 0 && { data }) }
}

const CODES: ReadonlyMap<string, number> = new Map([
  ["invalid_input", INVALID_PARAMS],
  ["not_available", METHOD_NOT_FOUND],
])
