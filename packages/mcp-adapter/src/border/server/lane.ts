import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server"
import { type StopSource, withStop } from "@x/agentic-service/adapter"
import { isRecord } from "@x/tool-schemas/json"
import { type CallContext, type Leg, toClientInfo, toOwnMeta, toTraceContext } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import {
  addTo,
  type Handler,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type Params,
  ProtocolError,
  RESOURCE_NOT_FOUND,
  type Result,
} from "../../handlers/handler.js"
import { createSlots } from "../../runtime/slots.js"
import { settled } from "./deliver-notices.js"
import type { RequestId } from "./rpc-error.js"
import type { Begun, Stops } from "./stops.js"

/** A request that says nothing but what we know to read, for a handler of our own: the SDK has nothing to add to it. */
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
 * The lane: reads a request that can be answered without the SDK's server, by what it says and who answers it; `undefined`
 * where that is not sure, and the SDK has to look. A law holds both ways to the same bytes.
 *
 * @param request - Its parameters have been checked, and what it claims.
 */
export function readPlain(
  connection: Connection,
  era: Leg["era"],
  { id, method, params = {} }: JSONRPCRequest,
): PlainRequest | undefined {
  const known = KNOWN.get(method)
  const handler = known && connection.ownHandler(method)
  if (handler === undefined) return undefined
  for (const key in params) if (!known?.includes(key)) return undefined
  const { _meta: meta = {} } = params
  return PLAIN_META[era](meta) ? { id, handler, params, meta } : undefined
}

/** The methods that are asked most, and the parameters that they have; a person's answers are none of them. */
const KNOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["tools/list", ["cursor", "_meta"]],
  ["tools/call", ["name", "arguments", "_meta"]],
  ["resources/read", ["uri", "_meta"]],
])

/** Who wants progress, or log messages, is reached through the SDK's server. */
const PLAIN_META: Readonly<Record<Leg["era"], (meta: Params) => boolean>> = {
  legacy(meta) {
    for (const key in meta) if (isReserved(key)) return false
    return true
  },
  modern(meta) {
    for (const key in meta) {
      if (key === PROTOCOL_VERSION_META_KEY) continue
      if (key === CLIENT_INFO_META_KEY || key === CLIENT_CAPABILITIES_META_KEY) {
        if (!PLAIN[key](meta[key])) return false
      } else if (isReserved(key)) return false
    }
    return true
  },
}

function isReserved(key: string): boolean {
  return key === "progressToken" || key.startsWith(RESERVED)
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

/** Who sent a plain request, and what is known of them. */
export interface PlainCaller extends Caller, Pick<CallContext, "clientInfo"> {
  /** What the client can do, where it has said so before; else what the request says counts. */
  readonly clientCapabilities?: CallContext["clientCapabilities"]
}

/** What comes of a plain request: what is sent; or a result that the SDK has to look at first, and the handler that gives it. */
export type PlainAnswer =
  | { readonly kind: "message"; readonly message: object }
  | { readonly kind: "unsure"; readonly handler: Handler }

/**
 * Answers a plain request, as the SDK's server would.
 *
 * @param stop - Aborts when it is given up, or the server closes.
 */
export async function answerPlain(
  endpoint: Pick<Endpoint, "info" | "host">,
  { id, handler, params, meta }: PlainRequest,
  { caller, stop }: { readonly caller: PlainCaller; readonly stop: StopSource },
): Promise<PlainAnswer> {
  const { era, transport } = caller.leg
  const { clientCapabilities = { ...Object(meta[CLIENT_CAPABILITIES_META_KEY]) } } = caller
  try {
    const result = await handler(
      params,
      withStop(stop, { stop, ...caller, clientCapabilities, ...readMeta(era, meta) }),
    )
    // On one pipe, what a call changed is noticed before the call is answered, where a notice is due.
    if (transport !== "http" && "content" in result) await settled(endpoint.host.clock)
    if (!isPlainResult(result)) return { kind: "unsure", handler: async () => result }
    const said = era === "modern" ? stamp(result, endpoint.info) : inOrder(result)
    return { kind: "message", message: { result: said, jsonrpc: "2.0", id } }
  } catch (thrown) {
    // The handlers are guarded: nothing else comes out of them.
    const { code, message, data } = thrown instanceof ProtocolError ? thrown : UNKNOWN
    // The newer revision forbids it (2026-07-28, basic/index, error codes).
    const error = { code: code === RESOURCE_NOT_FOUND && era === "modern" ? INVALID_PARAMS : code, message }
    return {
      kind: "message",
      message: { jsonrpc: "2.0", id, error: { ...error, ...(data !== undefined && { data }) } },
    }
  }
}

/** Reads what a request says of itself and of its client. */
function readMeta(era: Leg["era"], meta: Params): Pick<CallContext, "info" | "trace" | "meta"> {
  const info = era === "modern" ? toClientInfo(meta) : undefined
  const trace = toTraceContext(meta)
  const own = toOwnMeta(meta)
  return { ...(info && { info }), ...(trace && { trace }), ...(own && { meta: own }) }
}

const UNKNOWN = new ProtocolError(INTERNAL_ERROR, "Internal error")

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
  if (said === undefined) return addTo(rest, { resultType: "complete", _meta: { [SERVER_INFO_META_KEY]: info } })
  return { _meta: { ...Object(said), [SERVER_INFO_META_KEY]: info }, ...rest, resultType: "complete" }
}

/** In the order in which the SDK's server writes a result: nobody is to see which of the two has answered. */
function inOrder(result: Result): Result {
  const { _meta, ...rest } = result
  return _meta === undefined ? result : { _meta, ...rest }
}

/** The lane of a connection that carries many requests. */
export interface Lane {
  /**
   * Answers a request, where it is plain.
   *
   * @param key - What it is known by until it is answered.
   * @returns Whether it is.
   */
  take(request: JSONRPCRequest, key: RequestId): boolean
  /** Gives one up: it is not answered. `false` where there is none. */
  giveUp(key: unknown): boolean
  /** {@link ServerOptions.instead}, for what was handed to the SDK. */
  instead(key: unknown): Handler | undefined
  /** Gives all up. */
  close(): void
}

/** What the lane of a connection stands on. */
export interface LaneSite {
  /** Whom it serves; `undefined` as long as that is not settled. */
  readonly caller: () => PlainCaller | undefined
  /** Tells its requests to stop. */
  readonly stops: Stops
  /** Sends an answer. */
  readonly send: (key: RequestId, message: object) => void
  /** Has the SDK answer a request whose handler has run, and is not to run again: {@link Lane.instead} stands in its place. */
  readonly hand: (request: JSONRPCRequest, key: RequestId) => void
  /** Told what goes wrong. */
  readonly failed: (cause: Error) => void
}

/** Nothing asked yet. */
export function createLane(endpoint: Endpoint, connection: Connection, site: LaneSite): Lane {
  const { stops, send, hand, failed } = site
  const open = createSlots<Begun, unknown>()
  const run = new Map<unknown, Handler>()
  let logs: boolean | undefined
  /** A legacy client hears log messages of every call, where there may be any, and does not ask for them. */
  const mayLog = ({ leg }: PlainCaller, { method }: JSONRPCRequest): boolean => {
    logs ??= leg.era === "legacy" && endpoint.capabilities(leg).logging !== undefined
    return logs && method !== "tools/list"
  }
  const answer = async (plain: PlainRequest, caller: PlainCaller, asked: Asked): Promise<void> => {
    const { request, key } = asked
    const begun = stops.begin()
    open.fill(key, begun)
    const given = await answerPlain(endpoint, plain, { caller, stop: begun.stop })
    begun.end()
    if (open.get(key) !== begun) return
    open.vacate(key)
    if (given.kind === "message") return send(key, given.message)
    run.set(key, given.handler)
    hand(request, key)
  }
  const giveUp = (key: unknown): boolean => {
    const begun = open.get(key)
    open.vacate(key)
    begun?.giveUp()
    return begun !== undefined
  }
  return {
    take(request, key) {
      const caller = site.caller()
      if (caller === undefined || mayLog(caller, request)) return false
      const plain = readPlain(connection, caller.leg.era, request)
      if (plain === undefined) return false
      answer(plain, caller, { request, key }).catch(failed)
      return true
    },
    giveUp,
    instead(key) {
      const handler = run.get(key)
      run.delete(key)
      return handler
    },
    close() {
      for (const [key] of [...open.all()]) giveUp(key)
    },
  }
}

interface Asked {
  readonly request: JSONRPCRequest
  readonly key: RequestId
}
