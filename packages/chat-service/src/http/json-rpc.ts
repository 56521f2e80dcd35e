import type { Block, Failure, Success } from "@x/agentic-service"
import type { CallAnswer } from "@x/mcp-adapter"
import type { Answer, Visitor } from "@x/mcp-adapter/fetch"
import { isRecord } from "@x/tool-schemas/json"

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
export async function readChatRequest({ head, readBody }: Visitor): Promise<ChatRpc | Answer> {
  if (head.method !== "POST") {
    const answer = toError(null, { code: -32000, message: "found another method, expected POST" }, 405)
    return { ...answer, headers: { ...answer.headers, allow: "POST" } }
  }
  const session = head.headers.get(SESSION)
  if (session === null || session === "" || session.length > MAX_SESSION) {
    const message = `the header "${SESSION}" is missing or too long: expected 1 to ${MAX_SESSION} characters`
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
      'the body is no JSON-RPC request: expected "jsonrpc": "2.0", "method" and "id", a string or a number'
    return toError(null, { code: INVALID_REQUEST, message }, 400)
  }
  if (method !== "tools/call") {
    return toError(id, { code: METHOD_NOT_FOUND, message: `Method not found: ${method.slice(0, SHOWN)}` })
  }
  const { name, arguments: args } = isRecord(params) ? params : {}
  if (typeof name !== "string" || !isRecord(args)) {
    const message = 'Invalid params: expected "name", which is "chat", and "arguments", an object'
    return toError(id, { code: INVALID_PARAMS, message })
  }
  if (name !== "chat") {
    return toError(id, { code: METHOD_NOT_FOUND, message: `Method not found: tool "${name.slice(0, SHOWN)}"` })
  }
  return { id, args, stream: args["stream"] === true, session }
}

/** A longer name is not worth repeating. */
const SHOWN = 128

function isId(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number"
}

/** What names a request to its client. */
type RequestId = string | number | null

/** JSON-RPC's error, with a code of ours beside its own where there is one. */
interface RpcError {
  /** JSON-RPC's code. */
  readonly code: number
  /** What went wrong. */
  readonly message: string
  /** The failure's own code, and what to do. */
  readonly data?: Readonly<Record<string, string>>
}

/** What is said to whoever comes, or is still here, while the server closes. */
export const CLOSING: RpcError = { code: -32000, message: "the server is closing" }

/** The codes that ORBIT's clients know, and the one for what is no request at all. */
const INVALID_REQUEST = -32600
/** No such method, or no such tool. */
const METHOD_NOT_FOUND = -32601
/** Missing or invalid parameters. */
const INVALID_PARAMS = -32602
/** The rest. */
const INTERNAL_ERROR = -32603

/** A message with a result. */
export function formatResult(id: RequestId, result: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ jsonrpc: "2.0", result, id })
}

/** A message with an error. */
export function formatError(id: RequestId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", error, id })
}

/** An answer with an error. What is wrong with the call, and not with the request, is told by the body alone, with 200. */
export function toError(id: RequestId, error: RpcError, status = 200): Answer {
  return { status, headers: { "content-type": "application/json" }, body: formatError(id, error) }
}

/** An answer in the words of this protocol. It has no place for images and other media: they are left out. */
export type Reply =
  | { readonly ok: true; readonly text: string; readonly sources: readonly string[] }
  | { readonly ok: false; readonly error: RpcError }

/**
 * What a call came to.
 *
 * @param closing - Whether it was stopped because the server closes, and not by its client.
 */
export function toReply(answer: CallAnswer, closing: boolean): Reply {
  if (closing && answer.kind === "settled" && !answer.outcome.ok && answer.outcome.code === "aborted") {
    return { ok: false, error: CLOSING }
  }
  switch (answer.kind) {
    case "settled":
      return answer.outcome.ok ? toSuccess(answer.outcome) : { ok: false, error: toRpcError(answer.outcome) }
    case "unknown":
      return { ok: false, error: { code: METHOD_NOT_FOUND, message: "Method not found: there is no chat here" } }
    case "asked":
    case "incapable":
      return {
        ok: false,
        error: { code: INTERNAL_ERROR, message: "a person has to be asked first, which this protocol cannot" },
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

/** The text of a value that has one; else it is the first block. */
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
