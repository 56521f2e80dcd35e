import { isJsonContentType } from "@modelcontextprotocol/server"
import type { OptionRule } from "@x/tool-schemas/json"
import { findSizeFault, type JsonSize, measureJson, measureValue } from "../server/json-size.js"
import { show } from "../server/messages.js"
import { INVALID_REQUEST, PARSE_ERROR, REFUSED } from "../server/rpc-error.js"
import { type Answer, type Exchange, refuse, tryLater } from "./exchange.js"
import type { Hold } from "./shares.js"

/** How much of a request is taken in. */
export interface BodyLimits {
  /** The most bytes of a body that are read; a larger one is a 413. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** The most arrays and objects inside each other; a deeper body is a 400. Default 100. */
  readonly maxBodyDepth?: number
  /** About the most values in a body, each member of an object and item of an array being one; more are a 400. Default 100,000. */
  readonly maxBodyValues?: number
}

/** What each of {@link BodyLimits} may be. */
export const bodyRules: Record<keyof BodyLimits, OptionRule> = {
  maxBodyBytes: { from: 1, whole: true },
  maxBodyDepth: { from: 1, whole: true },
  maxBodyValues: { from: 1, whole: true },
}

/** A request's body, parsed once, or the answer that refuses it. */
export type ReadBody =
  | {
      /** It was read. */
      readonly ok: true
      /** What it holds; `undefined` where the method has none. */
      readonly body: unknown
    }
  | {
      /** It cannot be read, or is too large. */
      readonly ok: false
      /** The answer that says so. */
      readonly answer: Answer
      /** What the answer says, which holds nothing of the body. */
      readonly reason: string
    }

/** How many bytes of a body are read where nothing else is said. */
const MAX_BYTES = 4 * 2 ** 20

/**
 * Reads and parses the JSON body of a POST, where the host has not; other methods have none. Nothing is read that says it is
 * too long, and nothing is parsed before it has been measured.
 *
 * @param hold - What is read weighs there, until it is released.
 */
export async function readBody(exchange: Exchange, limits: BodyLimits, hold: Hold): Promise<ReadBody> {
  const { head, extra } = exchange
  const size = toSize(limits)
  if (extra.parsedBody !== undefined) return takeLeft(extra.parsedBody, size)
  if (head.method !== "POST") return { ok: true, body: undefined }
  const type = head.headers.get("content-type")
  if (type !== "application/json" && !isJsonContentType(type)) {
    return refused(415, REFUSED, `the content type is ${show(type ?? undefined)}: expected application/json`)
  }
  const coding = head.headers.get("content-encoding")
  if (coding !== null && coding.toLowerCase() !== "identity") return packed(coding)
  const { maxBodyBytes = MAX_BYTES } = limits
  if (Number(head.headers.get("content-length") ?? 0) > maxBodyBytes) return tooLarge(maxBodyBytes)
  const chunks: Uint8Array[] = []
  let length = 0
  const end = await exchange.read((bytes) => {
    length += bytes.length
    if (length > maxBodyBytes || !hold.grow(bytes.length)) return false
    chunks.push(bytes)
    return true
  })
  if (end === "whole") return parseBody(chunks, length, size)
  return end === "taken" ? takeLeft(exchange.leftBody?.(), size) : toCut(end, length > maxBodyBytes && maxBodyBytes)
}

/** The refusal of a body that is not all there: it broke off, is larger than a limit, or is more than there is room for. */
function toCut(end: "broken" | "stopped", limit: number | false): ReadBody {
  if (end === "broken") return refused(400, PARSE_ERROR, "the body ended before it was whole: expected all of it")
  return limit === false ? tooMuch() : tooLarge(limit)
}

function toSize({ maxBodyDepth = 100, maxBodyValues = 100_000 }: BodyLimits): JsonSize {
  return { depth: maxBodyDepth, values: maxBodyValues }
}

/** Takes what somebody else has read: a value that is parsed already, or the text or bytes of one. */
function takeLeft(body: unknown, limits: JsonSize): ReadBody {
  if (typeof body === "string") return takeLeft(new TextEncoder().encode(body), limits)
  if (body instanceof Uint8Array) return parseBody([body], body.length, limits)
  return body === undefined ? refused(400, PARSE_ERROR, READ_BEFORE) : takeParsed(body, limits)
}

/** For whoever mounts it: the first request says what to change. */
const READ_BEFORE =
  "the body was read before it reached MCP, by a body parser or by the application: mount MCP before that, or hand on what was " +
  "read, as handle(request, response, body), or as fetch(request, { parsedBody: body })"

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
    return refused(400, PARSE_ERROR, "the body is no JSON in UTF-8: expected a JSON-RPC message")
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

/** What a small body unpacks to cannot be known before (RFC 9110, 12.5.3: the answer says what is taken). */
function packed(coding: string): ReadBody {
  const refusal = refused(415, REFUSED, `the content encoding is ${show(coding)}: expected a body that is not packed`)
  const { headers } = refusal.answer
  return { ...refusal, answer: { ...refusal.answer, headers: { ...headers, "accept-encoding": "identity" } } }
}

function tooLarge(limit: number): ReadBody {
  return refused(413, REFUSED, `the body is too large: expected at most ${limit} bytes`)
}

/** What is answered to a client that has more on its way than it may; it may try again once that is done. */
export function tooMuch(): ReadBody & { readonly ok: false } {
  const reason = "there is more on its way than may be at once: send it again later"
  return { ok: false, answer: tryLater(429, reason), reason }
}

function refused(status: number, code: number, reason: string): ReadBody & { readonly ok: false } {
  return { ok: false, answer: refuse(status, { code, message: reason }), reason }
}
