import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server"
import { isRecord } from "@x/tool-schemas/json"
import { toTraceContext } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import { type Handler, type Params, ProtocolError, type Result } from "../../handlers/handler.js"

/** A modern request that says nothing but what we know to read, for a handler of our own: the SDK has nothing to add to it. */
export interface PlainRequest {
  /** Which request it is. */
  readonly id: string | number
  /** Answers it. */
  readonly handler: Handler
  /** Its parameters. */
  readonly params: Params
  /** What it says of itself. */
  readonly meta: Params
}

/**
 * The lane: reads a request of the modern era that can be answered without the SDK's server, by what it says and who answers
 * it; `undefined` where that is not sure, and the SDK has to look. A law holds both ways to the same bytes.
 *
 * @param request - Its parameters have been checked, and its claim.
 */
export function readPlain(connection: Connection, { id, method, params }: JSONRPCRequest): PlainRequest | undefined {
  const known = KNOWN.get(method)
  const handler = known && connection.ownHandler(method)
  if (handler === undefined || !isRecord(params)) return undefined
  for (const key in params) if (!known?.includes(key)) return undefined
  const meta = params["_meta"]
  return isRecord(meta) && isPlainMeta(meta) ? { id, handler, params, meta } : undefined
}

/** The methods that are asked most, and the parameters that they have; a person's answers are none of them. */
const KNOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["tools/list", ["cursor", "_meta"]],
  ["tools/call", ["name", "arguments", "_meta"]],
  ["resources/read", ["uri", "_meta"]],
])

/** Who wants progress, or log messages, is reached through the SDK's server. */
function isPlainMeta(meta: Params): boolean {
  for (const key in meta) {
    if (key === PROTOCOL_VERSION_META_KEY) continue
    if (key === CLIENT_INFO_META_KEY || key === CLIENT_CAPABILITIES_META_KEY) {
      if (!PLAIN[key](meta[key])) return false
    } else if (key === "progressToken" || key.startsWith(RESERVED)) return false
  }
  return true
}

const RESERVED = "io.modelcontextprotocol/"

const PLAIN = {
  [CLIENT_INFO_META_KEY]: (info: unknown) => hasOnly(info, () => isText),
  [CLIENT_CAPABILITIES_META_KEY]: (capabilities: unknown) => hasOnly(capabilities, (name) => CAPABILITIES.get(name)),
}

/** Tells of a value whether it is one that is certainly right. */
type IsPlain = (value: unknown) => boolean

const isText: IsPlain = (value) => typeof value === "string"
const isFlag: IsPlain = (value) => typeof value === "boolean"
const isEmpty: IsPlain = (value) => hasOnly(value, () => undefined)

const CAPABILITIES: ReadonlyMap<string, IsPlain> = new Map([
  ["elicitation", (value) => hasOnly(value, (name) => (name === "form" || name === "url" ? isEmpty : undefined))],
  ["sampling", (value) => hasOnly(value, (name) => (name === "context" || name === "tools" ? isEmpty : undefined))],
  ["roots", (value) => hasOnly(value, (name) => (name === "listChanged" ? isFlag : undefined))],
])

/** Whether a value is an object, each of its members one that is known, and right. */
function hasOnly(value: unknown, checkOf: (name: string) => IsPlain | undefined): boolean {
  if (!isRecord(value)) return false
  for (const name in value) if (checkOf(name)?.(value[name]) !== true) return false
  return true
}

/** How a plain request is answered. */
export interface PlainCall {
  /** Who asks. */
  readonly caller: Caller
  /** Aborts when it is given up, or the server closes. */
  readonly signal: AbortSignal
}

/** What comes of a plain request: what is sent; or a result that the SDK has to look at first, and the handler that gives it. */
export type PlainAnswer =
  | { readonly kind: "message"; readonly message: object }
  | { readonly kind: "unsure"; readonly handler: Handler }

/** Answers a plain request, as the SDK's server would. */
export async function answerPlain(
  { info }: Pick<Endpoint, "info">,
  { id, handler, params, meta }: PlainRequest,
  { caller, signal }: PlainCall,
): Promise<PlainAnswer> {
  const trace = toTraceContext(meta)
  const clientCapabilities: Params = { ...Object(meta[CLIENT_CAPABILITIES_META_KEY]) }
  try {
    const result = await handler(params, { ...caller, signal, clientCapabilities, ...(trace && { trace }) })
    if (!isPlainResult(result)) return { kind: "unsure", handler: async () => result }
    return { kind: "message", message: { result: stamp(result, info), jsonrpc: "2.0", id } }
  } catch (thrown) {
    // The handlers are guarded: nothing else comes out of them.
    const { code, message, data } = thrown instanceof ProtocolError ? thrown : UNKNOWN
    const error = { code, message, ...(data !== undefined && { data }) }
    return { kind: "message", message: { jsonrpc: "2.0", id, error } }
  }
}

const UNKNOWN = new ProtocolError(-32603, "Internal error")

/** Whether a result has nothing in it that the SDK reads again and writes in its own way: of content, what authors add to it. */
function isPlainResult({ content = [], resultType }: Result): boolean {
  return resultType === undefined && Array.isArray(content) && content.every(isPlainBlock)
}

function isPlainBlock(block: unknown): boolean {
  const known = isRecord(block) && typeof block["type"] === "string" ? BLOCKS.get(block["type"]) : undefined
  if (known === undefined) return false
  for (const key in Object(block)) if (!known.includes(key)) return false
  return true
}

const BLOCKS: ReadonlyMap<string, readonly string[]> = new Map([
  ["text", ["type", "text"]],
  ["image", ["type", "data", "mimeType"]],
  ["audio", ["type", "data", "mimeType"]],
])

/** What every result of the modern era says besides (2026-07-28, basic/index, results). */
function stamp(result: Result, info: Endpoint["info"]): Result {
  const { _meta: said, ...rest } = result
  const _meta = { ...Object(said), [SERVER_INFO_META_KEY]: info }
  // In the order in which the SDK's server writes them: nobody is to see which of the two has answered.
  return said === undefined ? { ...rest, resultType: "complete", _meta } : { _meta, ...rest, resultType: "complete" }
}
