import type { AuthInfo } from "@modelcontextprotocol/server"
import type { Encoded } from "../server/encoded.js"
import { formatError, REFUSED, type RequestId, type RpcError } from "../server/rpc-error.js"

/**
 * What is known of a request before its body is read: all that `authenticate`, `principal` and the guards may go by. A
 * `Request` is one; on Node no `Request` has to be made for it.
 */
export interface RequestHead {
  /** The HTTP method, in upper case. */
  readonly method: string
  /** The absolute URL that was asked for, its host as the client wrote it. */
  readonly url: string
  /** The headers. */
  readonly headers: {
    /** The value of a header, whatever the case of `name`; `null` where there is none. Repeated ones are joined by `, `. */
    get(name: string): string | null
  }
}

/** What is known about a request besides the request. */
export interface RequestExtra {
  /** What the host's own authentication found out; handed to the `principal` option unchanged. */
  readonly authInfo?: AuthInfo | undefined
  /**
   * Where the connection comes from; anonymous callers are told apart by it where limits count. Where it is one of
   * `trustedProxies`, the address that the proxy names counts instead.
   */
  readonly remoteAddress?: string | undefined
  /** The body, where the host has parsed it already; then only its shape is checked here. */
  readonly parsedBody?: unknown
  /** Ends the connection at once. Needed where an errored stream alone does not, because the host waits for the peer. */
  readonly disconnect?: (() => void) | undefined
}

/** An answer as plain data, the same whichever host writes it. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number
  /** The headers, their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body, UTF-8 where it is text, in order where it comes in pieces; none where absent. */
  readonly body?: Uint8Array | Encoded
}

/** How reading a body ended: it is all there, it was given up on, the connection broke, or somebody else has read it before. */
export type BodyEnd = "whole" | "stopped" | "broken" | "taken"

/**
 * One request and the way its answer takes: what each host of HTTP gives, and all that the border knows of it. An answer is
 * either sent whole or begun, written and ended; what comes after that, or after the peer has left, is dropped.
 */
export interface Exchange {
  /** The request. */
  readonly head: RequestHead
  /** What else the host knows. */
  readonly extra: RequestExtra
  /**
   * Hands over the body's bytes as they come, to be called once.
   *
   * @param take - Takes some of them; `false` gives up on the rest.
   */
  read(take: (bytes: Uint8Array) => boolean): Promise<BodyEnd>
  /** What a body parser in front has left of a body that it has read; absent where the host has no such place. */
  leftBody?(): unknown
  /** Answers with a whole. */
  send(answer: Answer): void
  /** Answers bit by bit: this is the head. */
  begin(answer: Answer): void
  /** Adds to an answer that was begun. */
  write(text: Encoded): void
  /** Ends an answer that was begun. */
  end(): void
  /** How many bytes of the answer wait for the peer to take them. */
  unread(): number
  /** Runs `callback` when the peer has taken what waited, or some of it. A host may not tell of all of it. */
  onRoom(callback: () => void): void
  /** Ends the connection at once, whatever the peer has not taken. */
  drop(): void
  /**
   * Runs `callback` once the answer has been taken, or cannot be any more; at once where that is so already.
   *
   * @param callback - Takes whether the peer left before it had all of it.
   */
  onOver(callback: (gone: boolean) => void): void
}

/** The path of a request's URL, without its query, as the client wrote it. */
export function pathOf({ url }: Pick<RequestHead, "url">): string {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  if (start < 0) return "/"
  const end = url.slice(start).search(/[?#]/)
  return end < 0 ? url.slice(start) : url.slice(start, start + end)
}

/** An HTTP answer that carries a JSON-RPC error: about one request, or about none in particular. */
export function refuse(status: number, error: RpcError, id: RequestId = null): Answer {
  return toJsonAnswer(status, formatError(error, id))
}

/** An answer whose body is JSON text. */
export function toJsonAnswer(status: number, body: Encoded, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body }
}

/** Refuses an HTTP method, and names those that are allowed (RFC 9110, 15.5.6). */
export function methodNotAllowed(method: string, allow: string): Answer {
  const refusal = refuse(405, { code: REFUSED, message: `method ${method} is not allowed here: expected ${allow}` })
  return { ...refusal, headers: { ...refusal.headers, allow } }
}

/** Refuses what may be tried again, and says when. */
export function tryLater(status: 429 | 503, message: string, seconds = 1): Answer {
  const refusal = refuse(status, { code: REFUSED, message })
  return { ...refusal, headers: { ...refusal.headers, "retry-after": String(seconds) } }
}
