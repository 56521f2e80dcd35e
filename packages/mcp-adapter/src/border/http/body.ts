import { isJsonContentType } from "@modelcontextprotocol/server"
import { isRecord, type OptionRule } from "@x/base"
import { findSizeFault, type JsonSize, measureJson, measureValue } from "../server/json-size.js"
import { show } from "../server/messages.js"
import { INVALID_REQUEST, PARSE_ERROR, REFUSED } from "../server/rpc-error.js"
import { type Answer, type Exchange, type RequestHead, refuse, tryLater } from "./exchange.js"
import type { Hold } from "./shares.js"

/** Size limits of request bodies. */
export interface BodyLimits {
  /** The largest body in bytes; a larger one gets a 413. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** The deepest nesting of arrays and objects; a deeper body gets a 400. Default 100. */
  readonly maxBodyDepth?: number
  /**
   * The approximate number of values, counting each object member and array item; a larger body gets a 400. Default 100,000.
   */
  readonly maxBodyValues?: number
}

/** The validation rules of {@link BodyLimits}. */
export const bodyRules: Record<keyof BodyLimits, OptionRule> = {
  maxBodyBytes: { from: 1, whole: true },
  maxBodyDepth: { from: 1, whole: true },
  maxBodyValues: { from: 1, whole: true },
}

/** A parsed request body, or the answer that refuses it. */
export type ReadBody =
  | {
      /** The body was read. */
      readonly ok: true
      /** The parsed value; `undefined` if the method has no body. */
      readonly body: unknown
    }
  | {
      /** The body cannot be read, or is too large. */
      readonly ok: false
      /** The refusal. */
      readonly answer: Answer
      /** The refusal's message, without any text from the body. */
      readonly reason: string
    }

/** The default limit on a body, in bytes. */
const MAX_BYTES = 4 * 2 ** 20

/**
 * Reads and parses the JSON body of a POST, unless the host has; other methods have none. A body whose declared length is over
 * the limit is not read, and a body is measured before it is parsed.
 *
 * @param hold - Counts the bytes read until it is released.
 */
export async function readBody(exchange: Exchange, limits: BodyLimits, hold: Hold): Promise<ReadBody> {
  const { head, extra } = exchange
  const size = toSize(limits)
  if (!isPlaceholder(extra.parsedBody)) return takeLeft(extra.parsedBody, size)
  if (head.method !== "POST") return { ok: true, body: undefined }
  const { maxBodyBytes = MAX_BYTES } = limits
  const fault = findHeadFault(head, maxBodyBytes)
  if (fault !== undefined) return fault
  const chunks: Uint8Array[] = []
  let length = 0
  const end = await exchange.read((bytes) => {
    length += bytes.length
    if (length > maxBodyBytes || !hold.grow(bytes.length)) return false
    chunks.push(bytes)
    return true
  })
  if (end === "whole") return parseBody(chunks, length, size)
  if (end === "taken") return takeLeft((await exchange.leftBody?.()) ?? extra.parsedBody, size)
  return toCut(end, length > maxBodyBytes && maxBodyBytes)
}

/** Refuses a body by its headers, before it is read. */
function findHeadFault({ headers }: RequestHead, maxBytes: number): ReadBody | undefined {
  const type = headers.get("content-type")
  if (type !== "application/json" && !isJsonContentType(type)) {
    return refused(415, REFUSED, `the content type is ${show(type ?? undefined)}: expected application/json`)
  }
  const coding = headers.get("content-encoding")
  if (coding !== null && coding.toLowerCase() !== "identity") return packed(coding)
  return Number(headers.get("content-length") ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
}

/**
 * Refuses an incomplete body: its connection broke, it is larger than the limit, or its bytes exceed what all requests may
 * hold.
 */
function toCut(end: "broken" | "stopped", limit: number | false): ReadBody {
  if (end === "broken")
    return refused(400, PARSE_ERROR, "the body is incomplete: the connection closed before all of it arrived")
  return limit === false ? tooMuch() : tooLarge(limit)
}

function toSize({ maxBodyDepth = 100, maxBodyValues = 100_000 }: BodyLimits): JsonSize {
  return { depth: maxBodyDepth, values: maxBodyValues }
}

/**
 * Whether a value is the placeholder of a parser that has not read the body, such as one for another content type. No message
 * has this form.
 */
function isPlaceholder(body: unknown): boolean {
  return (
    body === undefined ||
    body === null ||
    (isRecord(body) && Object.getPrototypeOf(body) === Object.prototype && Object.keys(body).length === 0)
  )
}

/** Accepts a body that the host has read: a parsed value, or JSON text or bytes. */
function takeLeft(body: unknown, limits: JsonSize): ReadBody {
  if (typeof body === "string") return takeLeft(new TextEncoder().encode(body), limits)
  if (body instanceof ArrayBuffer) return takeLeft(new Uint8Array(body), limits)
  if (body instanceof Uint8Array) return parseBody([body], body.length, limits)
  return body === undefined || body === null ? refused(400, PARSE_ERROR, READ_BEFORE) : takeParsed(body, limits)
}

/** Addressed to the developer who mounts the handler: the first request shows it. */
const READ_BEFORE =
  "the body was already read, by a body parser or by the application: mount MCP before that, or pass on all that the framework " +
  "gives its handlers, as handle(request, reply) in Fastify, handle(context) in Koa or fetch(context) in Hono, or pass the body " +
  "on, as handle(request, response, body) or as fetch(request, { parsedBody: body })"

function takeParsed(body: unknown, limits: JsonSize): ReadBody {
  const fault = findSizeFault(measureValue(body, limits), limits)
  return fault === undefined ? { ok: true, body } : refused(400, INVALID_REQUEST, fault)
}

function parseBody(chunks: readonly Uint8Array[], length: number, limits: JsonSize): ReadBody {
  const bytes = join(chunks, length)
  const fault = findSizeFault(measureJson(bytes, limits), limits)
  if (fault !== undefined) return refused(400, INVALID_REQUEST, fault)
  try {
    return { ok: true, body: JSON.parse(decoder.decode(bytes)) }
  } catch {
    return refused(400, PARSE_ERROR, "the body is not JSON in UTF-8: expected a JSON-RPC message")
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true })

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/** Refuses a compressed body, since its unpacked size is unknown; the answer names the accepted encoding (RFC 9110, 12.5.3). */
function packed(coding: string): ReadBody {
  const refusal = refused(415, REFUSED, `the content encoding is ${show(coding)}: expected an uncompressed body`)
  const { headers } = refusal.answer
  return { ...refusal, answer: { ...refusal.answer, headers: { ...headers, "accept-encoding": "identity" } } }
}

function tooLarge(limit: number): ReadBody {
  return refused(413, REFUSED, `the body is too large: expected at most ${limit} bytes`)
}

/** Refuses a request of a client that holds too many bytes in flight; it may retry once they are answered. */
export function tooMuch(): ReadBody & { readonly ok: false } {
  const reason = "too many bytes are in flight: send the request again later"
  return { ok: false, answer: tryLater(429, reason), reason }
}

function refused(status: number, code: number, reason: string): ReadBody & { readonly ok: false } {
  return { ok: false, answer: refuse(status, { code, message: reason }), reason }
}
