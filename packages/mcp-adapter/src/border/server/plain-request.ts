import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCNotification,
  type JSONRPCRequest,
  LOG_LEVEL_META_KEY,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server"
import { type StopSource, withStop } from "@x/agentic-service/adapter"
import { isRecord } from "@x/base"
import { type CallContext, type Leg, type Peer, toClientInfo } from "../../calls/call-context.js"
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
import { isModernOnly, LEVELS } from "../../handlers/methods.js"
import { afterNotices } from "./deliver-notices.js"
import { createPeer, createProgress, readMeta } from "./to-context.js"

/** A request with only known parameters, for a handler of ours, so that the SDK has nothing to add. */
export interface PlainRequest {
  /** The request's id. */
  readonly id: string | number
  /** The method. */
  readonly method: string
  /** Answers the request. */
  readonly handler: Handler
  /** The parameters. */
  readonly params: Params
  /** The request's `_meta`. */
  readonly meta: Params
}

/**
 * Reads a request that the lane can answer without an SDK server; `undefined` if that is uncertain and the SDK must answer. A
 * test compares both paths: their answers are the same bytes.
 *
 * @param request - Its parameters, claim and progress token are already checked, so that the SDK has no fault to find.
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
  // The SDK reads capabilities from a legacy request as well, which no client sends.
  if (era === "legacy" && (CLIENT_CAPABILITIES_META_KEY in meta || isModernOnly(method))) return undefined
  return { id, method, handler, params, meta }
}

/** The most frequent methods and their parameters, without a person's answers. */
const KNOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["tools/list", ["cursor", "_meta"]],
  ["tools/call", ["name", "arguments", "_meta"]],
  ["resources/list", ["cursor", "_meta"]],
  ["resources/templates/list", ["cursor", "_meta"]],
  ["resources/read", ["uri", "_meta"]],
  ["tasks/get", ["taskId", "_meta"]],
])

/** The sender of a plain request. */
export interface PlainCaller extends Caller, Pick<CallContext, "clientInfo"> {
  /** The client's capabilities, if it declared them earlier. Default: those in the request. */
  readonly clientCapabilities?: CallContext["clientCapabilities"]
}

/** The context of one plain request. */
export interface PlainSite {
  /** The sender. */
  readonly caller: PlainCaller
  /** Aborts when the request is cancelled, or the server closes. */
  readonly stop: StopSource
  /** The least severe log message that the client accepts on this connection. Default: the request says it. */
  readonly logLevel?: unknown
  /** Sends a notification that belongs to the request. */
  readonly tell: (message: JSONRPCNotification) => void
  /** Reports a notification that could not be sent. */
  readonly failed: (cause: Error) => void
}

/** The outcome of a plain request: an answer to send, or a handler that returns the result, if the SDK must check it first. */
export type PlainAnswer =
  | { readonly kind: "message"; readonly message: object }
  | { readonly kind: "unsure"; readonly handler: Handler }

/** Answers a plain request exactly as the SDK's server would. */
export async function answerPlain(
  endpoint: Pick<Endpoint, "info" | "host" | "capabilities">,
  { id, method, handler, params, meta }: PlainRequest,
  site: PlainSite,
): Promise<PlainAnswer> {
  const { caller, stop } = site
  const { era } = caller.leg
  const { clientCapabilities = { ...Object(meta[CLIENT_CAPABILITIES_META_KEY]) } } = caller
  const ways = openWays(endpoint, meta, site)
  try {
    const info = era === "modern" ? toClientInfo(meta) : undefined
    const said = { ...(info && { info }), ...readMeta(meta) }
    const context = withStop(stop, { stop, ...caller, clientCapabilities, ...ways?.parts, ...said })
    const result = await afterNotices(endpoint, method, handler)(params, context)
    if (!isPlainResult(result)) return { kind: "unsure", handler: async () => result }
    const stamped = era === "modern" ? stamp(result, endpoint.info) : inOrder(result)
    return { kind: "message", message: { result: stamped, jsonrpc: "2.0", id } }
  } catch (thrown) {
    // The handlers are guarded and throw no other errors.
    const { code, message, data } = thrown instanceof ProtocolError ? thrown : UNKNOWN
    // The newer revision forbids it (2026-07-28, basic/index, error codes).
    const error = { code: code === RESOURCE_NOT_FOUND && era === "modern" ? INVALID_PARAMS : code, message }
    return {
      kind: "message",
      message: { jsonrpc: "2.0", id, error: { ...error, ...(data !== undefined && { data }) } },
    }
  } finally {
    ways?.end()
  }
}

/** What a request's handler can send before the answer. */
interface Ways {
  readonly parts: Pick<CallContext, "progress" | "peer">
  /** Stops everything: nothing may follow the answer. */
  readonly end: () => void
}

/** Opens the ways to a client that wants progress or log messages; `undefined` for the others. */
function openWays(endpoint: Pick<Endpoint, "capabilities">, meta: Params, site: PlainSite): Ways | undefined {
  const { progressToken: token } = meta
  const level = site.logLevel ?? readLogLevel(endpoint, meta, site.caller)
  if (token === undefined && level === undefined) return undefined
  const { tell, failed } = site
  const notify = async (message: Omit<JSONRPCNotification, "jsonrpc">): Promise<void> =>
    tell({ jsonrpc: "2.0", ...message })
  const log = async (...[severity, data, logger]: Parameters<Peer["log"]>): Promise<void> => {
    const hears = level !== undefined && !(rankOf(severity) < rankOf(level))
    if (hears) await notify({ method: "notifications/message", params: { level: severity, data, logger } })
  }
  const { peer, end } = createPeer({ signal: NOT_CANCELLED, clientCapabilities: {}, notify, log, failed })
  const progress = isToken(token) ? { progress: createProgress(peer, token) } : undefined
  return { parts: { ...progress, ...(level !== undefined && { peer }) }, end }
}

/** A cancelled request is no longer told anything by its connection. */
const NOT_CANCELLED = { aborted: false }

/** Returns the level of a modern request's log messages, if the server announces any. */
function readLogLevel(endpoint: Pick<Endpoint, "capabilities">, meta: Params, { leg }: PlainCaller): unknown {
  const level = leg.era === "modern" ? meta[LOG_LEVEL_META_KEY] : undefined
  return level !== undefined && endpoint.capabilities(leg).logging !== undefined ? level : undefined
}

/** Returns a severity's place in their order; `NaN` for others, which are neither above nor below any. */
function rankOf(severity: unknown): number {
  return RANKS.get(severity) ?? Number.NaN
}

const RANKS: ReadonlyMap<unknown, number> = new Map(LEVELS.map((level, index) => [level, index]))

function isToken(token: unknown): token is string | number {
  return token !== undefined
}

const UNKNOWN = new ProtocolError(INTERNAL_ERROR, "Internal error")

/** Whether the SDK would write a result unchanged: true unless authors added fields to its content. */
function isPlainResult({ content = [], resultType, _meta }: Result): boolean {
  if (resultType === "task") return _meta === undefined
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

/** Adds the fields of every modern result (2026-07-28, basic/index, results). */
function stamp(result: Result, info: Endpoint["info"]): Result {
  const { _meta: said, ...rest } = result
  const _meta = { [SERVER_INFO_META_KEY]: info }
  if (result["resultType"] !== undefined) return addTo(result, { _meta })
  if (said === undefined) return addTo(rest, { resultType: "complete", _meta })
  return { _meta: { ...Object(said), ..._meta }, ...rest, resultType: "complete" }
}

/** Orders a result's fields as the SDK does, so that both paths produce the same bytes. */
function inOrder(result: Result): Result {
  const { _meta, ...rest } = result
  return _meta === undefined ? result : { _meta, ...rest }
}
