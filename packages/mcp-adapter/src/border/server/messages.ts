import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse } from "@modelcontextprotocol/server"
import { isRecord } from "@x/tool-schemas/json"
import { INVALID_REQUEST, type RequestId, type RpcError, toPlace } from "./rpc-error.js"
import { withoutNulls } from "./without-nulls.js"

/** One JSON-RPC message that has the shape of one: what it is, and the message without what JSON-RPC does not know. */
export type CheckedMessage =
  | { readonly kind: "request"; readonly message: JSONRPCRequest }
  | { readonly kind: "notification"; readonly message: JSONRPCNotification }
  | { readonly kind: "response"; readonly message: JSONRPCResponse }
  | { readonly kind: "invalid"; readonly error: RpcError; readonly id: RequestId }

/** A message that has the shape of one. */
export type ValidMessage = Exclude<CheckedMessage, { readonly kind: "invalid" }>

/** What clients send at once: one message, or a batch of them, which the revisions up to 2025-03-26 have. */
export type CheckedBody = CheckedMessage | { readonly kind: "batch"; readonly messages: readonly ValidMessage[] }

/**
 * Tells what a parsed body is. A batch is measured before any of its messages is looked at; one wrong message makes all of
 * it wrong. No validator's words: each error says what was found, what was expected, and where.
 */
export function checkBody(body: unknown): CheckedBody {
  if (!Array.isArray(body)) return checkMessage(body)
  if (body.length === 0) return invalid("the batch is empty: expected messages in it")
  if (body.length > MAX_BATCH) {
    return invalid(`the batch holds ${body.length} messages: expected ${MAX_BATCH} at most, send several`)
  }
  const messages = []
  for (const [index, item] of body.entries()) {
    const checked = checkMessage(item, [index])
    if (checked.kind === "invalid") return { ...checked, id: null }
    messages.push(checked)
  }
  return { kind: "batch", messages }
}

/** How many messages a batch may hold. */
const MAX_BATCH = 100

/**
 * Tells what one message is.
 *
 * @param at - Where it is in what came; empty where it is all that came.
 */
function checkMessage(value: unknown, at: Place = []): CheckedMessage {
  if (!isRecord(value)) return invalid(`the message is ${nameOf(value)}: expected an object`, at)
  const { jsonrpc, id } = value
  const known = isRequestId(id) ? id : null
  if (jsonrpc !== "2.0") return invalid(`"jsonrpc" is ${show(jsonrpc)}: expected "2.0"`, [...at, "jsonrpc"], known)
  if ("id" in value && !isRequestId(id) && !(id === null && "error" in value)) {
    return invalid(`"id" is ${show(id)}: expected a string or an integer`, [...at, "id"])
  }
  return "method" in value ? checkAsking(value, at, known) : checkResponse(value, at, known)
}

type Place = readonly (string | number)[]

type Fields = Readonly<Record<string, unknown>>

/** A request, or a notification, which is a request without an id. */
function checkAsking({ id, method, params: sent }: Fields, at: Place, known: RequestId): CheckedMessage {
  if (typeof method !== "string") {
    return invalid(`"method" is ${show(method)}: expected a string`, [...at, "method"], known)
  }
  const params = sent ?? undefined
  const fault = params === undefined ? undefined : findParamsFault(params)
  if (fault !== undefined) return invalid(fault.message, [...at, "params", ...fault.at], known)
  const asked = isRecord(params) ? { params: withoutNulls(params) } : undefined
  if (id === undefined) return { kind: "notification", message: { jsonrpc: "2.0", method, ...asked } }
  // `isRequestId` has looked at it.
  return { kind: "request", message: { jsonrpc: "2.0", id: id as string | number, method, ...asked } }
}

function findParamsFault(params: unknown): { readonly message: string; readonly at: Place } | undefined {
  if (!isRecord(params)) return { message: `"params" is ${nameOf(params)}: expected an object`, at: [] }
  const meta = params["_meta"] ?? undefined
  if (meta !== undefined && !isRecord(meta)) {
    return { message: `"params._meta" is ${nameOf(meta)}: expected an object`, at: ["_meta"] }
  }
  const token = meta?.["progressToken"] ?? undefined
  if (token !== undefined && !isRequestId(token)) {
    const message = `"params._meta.progressToken" is ${show(token)}: expected a string or an integer`
    return { message, at: ["_meta", "progressToken"] }
  }
  if (countValues(params, MAX_VALUES) <= MAX_VALUES) return undefined
  return { message: `"params" holds more than ${MAX_VALUES} values beside its arguments: expected fewer`, at: [] }
}

/** How many values a message may hold beside arguments and answers: the engine looks at each of them, and not fast. */
const MAX_VALUES = 1_000

/** What is the application's own, as large as bodies may be; its actions check it. */
const UNCOUNTED: ReadonlySet<string> = new Set(["arguments", "inputResponses"])

/** How many values there are, counted no further than one above `limit`. */
function countValues(params: Fields, limit: number): number {
  let count = 0
  const waiting: object[] = [params]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const key in next) {
      count += 1
      if (count > limit) return count
      const value: unknown = Reflect.get(next, key)
      const counted = typeof value === "object" && value !== null && !(next === params && UNCOUNTED.has(key))
      if (counted) waiting.push(value)
    }
  }
  return count
}

function checkResponse({ id, result, error }: Fields, at: Place, known: RequestId): CheckedMessage {
  if (id === undefined) {
    return invalid('the message has neither "method" nor "id": expected a request, a notification or an answer', at)
  }
  if (error !== undefined) return checkErrorResponse(error, at, known)
  if (!isRecord(result)) return invalid(`"result" is ${nameOf(result)}: expected an object`, [...at, "result"], known)
  // A result's id is no null: the id of an answer that went wrong may be.
  if (known === null) return invalid('"id" is null: expected a string or an integer', [...at, "id"])
  return { kind: "response", message: { jsonrpc: "2.0", id: known, result } }
}

function checkErrorResponse(error: unknown, at: Place, id: RequestId): CheckedMessage {
  const { code, message, data } = isRecord(error) ? error : {}
  if (typeof code !== "number" || !Number.isInteger(code) || typeof message !== "string") {
    const expected = 'expected an object with "code", an integer, and "message", a string'
    return invalid(`"error" is not one: ${expected}`, [...at, "error"], id)
  }
  const sent = { code, message, ...(data !== undefined && { data }) }
  return { kind: "response", message: { jsonrpc: "2.0", ...(id !== null && { id }), error: sent } }
}

/** Whether a request goes on with an earlier call, as one with a person's answer does (2026-07-28, basic/patterns/mrtr). */
export function goesOn({ params }: { readonly params?: unknown }): boolean {
  return isRecord(params) && (params["inputResponses"] !== undefined || params["requestState"] !== undefined)
}

function invalid(message: string, at: Place = [], id: RequestId = null): CheckedMessage & { readonly kind: "invalid" } {
  return { kind: "invalid", error: { code: INVALID_REQUEST, message, ...toPlace(at) }, id }
}

/** Whether a value may be a request's id, or a progress token: MCP has no null and no fraction. */
function isRequestId(value: unknown): value is string | number {
  return typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value))
}

/** A value as errors show it: what is long or nested is only named. */
export function show(value: unknown): string {
  if (value === undefined) return "missing"
  if (typeof value === "string") return value.length > 100 ? "a long string" : JSON.stringify(value)
  return typeof value === "object" ? nameOf(value) : String(value)
}

/** What kind of JSON a value is. */
export function nameOf(value: unknown): string {
  if (value === undefined) return "missing"
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}
