import {
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  RELATED_TASK_META_KEY,
} from "@modelcontextprotocol/server"
import { isRecord } from "@x/base"
import { INVALID_REQUEST, type RequestId, type RpcError, toPlace } from "./rpc-error.js"
import { withoutNulls } from "./without-nulls.js"

/** A JSON-RPC message with a checked shape: its kind, and the message without fields unknown to JSON-RPC. */
export type CheckedMessage =
  | { readonly kind: "request"; readonly message: JSONRPCRequest }
  | { readonly kind: "notification"; readonly message: JSONRPCNotification }
  | { readonly kind: "response"; readonly message: JSONRPCResponse }
  | { readonly kind: "invalid"; readonly error: RpcError; readonly id: RequestId }

/** A valid message. */
export type ValidMessage = Exclude<CheckedMessage, { readonly kind: "invalid" }>

/** A client's input: one message, or a batch, which revisions up to 2025-03-26 have. */
export type CheckedBody = CheckedMessage | { readonly kind: "batch"; readonly messages: readonly ValidMessage[] }

/**
 * Checks a parsed body. A batch's length is checked before its messages; one invalid message makes the whole batch invalid.
 * Each error names the faulty place, the value found and the value expected.
 */
export function checkBody(body: unknown): CheckedBody {
  if (!Array.isArray(body)) return checkMessage(body)
  if (body.length === 0) return invalid("the batch is empty: expected at least one message")
  if (body.length > MAX_BATCH) {
    return invalid(`the batch holds ${body.length} messages: expected at most ${MAX_BATCH}; send several batches`)
  }
  const messages = []
  for (const [index, item] of body.entries()) {
    const checked = checkMessage(item, [index])
    if (checked.kind === "invalid") return { ...checked, id: null }
    messages.push(checked)
  }
  return { kind: "batch", messages }
}

/** The most messages in a batch. */
const MAX_BATCH = 100

/**
 * Checks one message.
 *
 * @param at - Its place in a batch; empty for a single message.
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

/** Checks a request, or a notification, which has no id. */
function checkAsking({ id, method, params: sent }: Fields, at: Place, known: RequestId): CheckedMessage {
  if (typeof method !== "string") {
    return invalid(`"method" is ${show(method)}: expected a string`, [...at, "method"], known)
  }
  const params = sent ?? undefined
  const fault = params === undefined ? undefined : findParamsFault(params)
  if (fault !== undefined) return invalid(fault.message, [...at, "params", ...fault.at], known)
  const asked = isRecord(params) ? { params: withoutNulls(params) } : undefined
  if (id === undefined) return { kind: "notification", message: { jsonrpc: "2.0", method, ...asked } }
  // Checked by `isRequestId` above.
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
  // The SDK would not answer such a request at all.
  const task = meta?.[RELATED_TASK_META_KEY] ?? undefined
  if (task !== undefined && !(isRecord(task) && typeof task["taskId"] === "string")) {
    const message = `"params._meta.${RELATED_TASK_META_KEY}" is ${show(task)}: expected an object with "taskId", a string`
    return { message, at: ["_meta", RELATED_TASK_META_KEY] }
  }
  if (countValues(params, MAX_VALUES) <= MAX_VALUES) return undefined
  return { message: `"params" holds more than ${MAX_VALUES} values besides its arguments: send fewer`, at: [] }
}

/** The most values in a message, apart from arguments and answers: the SDK checks each of them, slowly. */
const MAX_VALUES = 1_000

/** Parameters that belong to the application, limited only by the body's size; its actions check them. */
const UNCOUNTED: ReadonlySet<string> = new Set(["arguments", "inputResponses"])

/** Counts the values, stopping one above `limit`. */
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
  // Only an error may have a null id; a result may not.
  if (known === null) return invalid('"id" is null: expected a string or an integer', [...at, "id"])
  return { kind: "response", message: { jsonrpc: "2.0", id: known, result } }
}

function checkErrorResponse(error: unknown, at: Place, id: RequestId): CheckedMessage {
  const { code, message, data } = isRecord(error) ? error : {}
  if (typeof code !== "number" || !Number.isInteger(code) || typeof message !== "string") {
    const expected = 'expected an object with "code", an integer, and "message", a string'
    return invalid(`"error" is not an error object: ${expected}`, [...at, "error"], id)
  }
  const sent = { code, message, ...(data !== undefined && { data }) }
  return { kind: "response", message: { jsonrpc: "2.0", ...(id !== null && { id }), error: sent } }
}

/** Whether a request continues an earlier call, as one with a person's answer does (2026-07-28, basic/patterns/mrtr). */
export function goesOn({ params }: { readonly params?: unknown }): boolean {
  return isRecord(params) && (params["inputResponses"] !== undefined || params["requestState"] !== undefined)
}

function invalid(message: string, at: Place = [], id: RequestId = null): CheckedMessage & { readonly kind: "invalid" } {
  return { kind: "invalid", error: { code: INVALID_REQUEST, message, ...toPlace(at) }, id }
}

/** Whether a value may be a request's id or a progress token: MCP allows neither null nor fractions. */
function isRequestId(value: unknown): value is string | number {
  return typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value))
}

/** Formats a value for an error; long or nested ones are only described. */
export function show(value: unknown): string {
  if (value === undefined) return "missing"
  if (typeof value === "string") return value.length > 100 ? "a long string" : JSON.stringify(value)
  return typeof value === "object" ? nameOf(value) : String(value)
}

/** Describes a value's JSON type. */
export function nameOf(value: unknown): string {
  if (value === undefined) return "missing"
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}
