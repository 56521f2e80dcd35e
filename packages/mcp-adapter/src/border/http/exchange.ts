import type { AuthInfo } from "@modelcontextprotocol/server"
import type { Encoded } from "../server/encoded.js"
import { formatError, REFUSED, type RequestId, type RpcError } from "../server/rpc-error.js"

/**
 * A request before its body is read: all that `authenticate`, `principal` and the guards may use. A `Request` qualifies; Node
 * needs no `Request` object.
 */
export interface RequestHead {
  /** The HTTP method, in upper case. */
  readonly method: string
  /** The absolute URL, with the host as the client wrote it. */
  readonly url: string
  /** The headers. */
  readonly headers: {
    /** Returns a header's value, ignoring the case of `name`; `null` if there is none. Repeated headers are joined by `, `. */
    get(name: string): string | null
  }
}

/** Information about a request that the host provides. */
export interface RequestExtra {
  /** The result of the host's own authentication, passed to the `principal` option unchanged. */
  readonly authInfo?: AuthInfo | undefined
  /**
   * The address of the connection. Limits tell anonymous callers apart by it, or by the client that a `trustedProxies` address
   * names.
   */
  readonly remoteAddress?: string | undefined
  /**
   * The path and query as the client sent them, before a router removed a prefix. With it and `remoteAddress`, the endpoint can
   * report that GET does not reach it.
   */
  readonly sentTarget?: string | undefined
  /** The body, if the host has parsed it already; then only its size and depth are checked. */
  readonly parsedBody?: unknown
  /** Closes the connection at once. Needed if the host waits for the client even after a stream has failed. */
  readonly disconnect?: (() => void) | undefined
}

/** An HTTP answer as plain data, independent of the host. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number
  /** The headers, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body: UTF-8 for text, and concatenated if in pieces. Default: none. */
  readonly body?: Uint8Array | Encoded
}

/** How reading a body ended: complete, stopped by us, cut off by the connection, or already read by somebody else. */
export type BodyEnd = "whole" | "stopped" | "broken" | "taken"

/**
 * One request and its answer channel, provided by an HTTP host. An answer is either sent whole, or begun, written and ended.
 * Calls after that, or after the client has left, do nothing.
 */
export interface Exchange {
  /** The request. */
  readonly head: RequestHead
  /** Information from the host. */
  readonly extra: RequestExtra
  /**
   * Passes the body's bytes on as they arrive. Call it once.
   *
   * @param take - Takes a chunk; returns `false` to stop reading.
   */
  read(take: (bytes: Uint8Array) => boolean): Promise<BodyEnd>
  /** Returns what a body parser in front has stored of the body, or a promise of it; absent if the host has no such place. */
  leftBody?(): unknown
  /** Whether something else has answered first; absent if that is impossible. */
  answeredElsewhere?(): boolean
  /** Sends a complete answer. */
  send(answer: Answer): void
  /** Begins an answer that is written in parts: its status and headers. */
  begin(answer: Answer): void
  /** Writes one more part of a begun answer. */
  write(text: Encoded): void
  /** Ends an answer that was begun. */
  end(): void
  /** Returns how many bytes of the answer the client has not read. */
  unread(): number
  /** Runs `callback` after the client has read some of the waiting bytes. A host may report only some of these times. */
  onRoom(callback: () => void): void
  /** Closes the connection at once, discarding unread bytes. */
  drop(): void
  /**
   * Runs `callback` once the answer is read or can no longer be; at once if that is already so.
   *
   * @param callback - Takes whether the client left before reading all of it.
   */
  onOver(callback: (gone: boolean) => void): void
}

/** The start of the path of public metadata (RFC 8615). */
export const WELL_KNOWN = "/.well-known/"

/** Returns the path of a request's URL as the client wrote it, without the query. */
export function pathOf({ url }: Pick<RequestHead, "url">): string {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  if (start < 0) return "/"
  const end = url.slice(start).search(/[?#]/)
  return end < 0 ? url.slice(start) : url.slice(start, start + end)
}

/** Creates an HTTP answer with a JSON-RPC error. A `null` id refers to no particular request. */
export function refuse(status: number, error: RpcError, id: RequestId = null): Answer {
  return toJsonAnswer(status, formatError(error, id))
}

/** Creates an answer with a JSON body. */
export function toJsonAnswer(status: number, body: Encoded, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body }
}

/** Refuses an HTTP method, naming the allowed ones (RFC 9110, 15.5.6). */
export function methodNotAllowed(method: string, allow: string): Answer {
  const refusal = refuse(405, { code: REFUSED, message: `method ${method} is not allowed here: expected ${allow}` })
  return { ...refusal, headers: { ...refusal.headers, allow } }
}

/** Refuses a request that may be retried, and says after how many seconds. */
export function tryLater(status: 429 | 503, message: string, seconds = 1): Answer {
  const refusal = refuse(status, { code: REFUSED, message })
  return { ...refusal, headers: { ...refusal.headers, "retry-after": String(seconds) } }
}
