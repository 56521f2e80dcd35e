import type { IncomingMessage, ServerResponse } from "node:http"
import { hasMethod, isRecord, memberOf, showShort } from "@x/base"
import { AdapterError } from "../../adapter-error.js"

/** The used parts of Fastify's request. */
export interface WrappedRequest {
  /** Node's request. */
  readonly raw: IncomingMessage
  /** The body, if a parser of Fastify's has read it. */
  readonly body?: unknown
  /** The request target before a router stripped a prefix. */
  readonly originalUrl?: string
}

/** The used parts of Fastify's reply. */
export interface WrappedReply {
  /** Node's response. */
  readonly raw: ServerResponse
  /** Keeps Fastify from answering. */
  hijack(): unknown
  /** Returns the headers that plugins have set, such as those of CORS. */
  getHeaders(): object
}

/** The used parts of Koa's context. */
export interface NodeContext {
  /** Node's request. */
  readonly req: IncomingMessage
  /** Node's response. */
  readonly res: ServerResponse
  /** Koa's request, in which body parsers store the body. */
  readonly request: object
  /** The request target before a router stripped a prefix. */
  readonly originalUrl?: string
  /** Whether Koa answers. */
  respond?: boolean | undefined
}

/** Node's request and response, as passed by a framework. */
export interface NodePair {
  /** The request. */
  readonly request: IncomingMessage
  /** The response. */
  readonly response: ServerResponse
  /** The request target before a router stripped a prefix, if the framework keeps it. */
  readonly sent: string | undefined
  /** Returns the body that a parser has stored. */
  leftBody(): unknown
}

/**
 * Finds Node's request and response in the arguments of a framework's handler, and keeps the framework from answering: Express,
 * Nest and Next pass Node's own, Fastify a request and a reply that wrap them, Koa one context for both.
 *
 * @throws AdapterError `invalid_argument` for anything else.
 */
export function toNodePair(first: unknown, second: unknown): NodePair {
  if (isRequest(first) && isResponse(second)) {
    return {
      request: first,
      response: second,
      sent: toText(memberOf(first, "originalUrl")),
      leftBody: () => memberOf(first, "body"),
    }
  }
  if (isWrappedRequest(first) && isWrappedReply(second)) {
    second.hijack()
    for (const [name, value] of Object.entries(second.getHeaders())) second.raw.setHeader(name, value)
    return { request: first.raw, response: second.raw, sent: toText(first.originalUrl), leftBody: () => first.body }
  }
  if (isContext(first)) {
    first.respond = false
    return {
      request: first.req,
      response: first.res,
      sent: toText(first.originalUrl),
      leftBody: () => memberOf(first.request, "body"),
    }
  }
  const expected = "expected the request and the response of Node or of Fastify, or the context of Koa"
  const change =
    'where a handler is given a "Request", as in Hono or Next, use createFetchHandler of "@x/mcp-adapter/fetch"'
  throw new AdapterError(`handle() was given ${showShort(first)}: ${expected}; ${change}`, { code: "invalid_argument" })
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

function isRequest(value: unknown): value is IncomingMessage {
  return hasMethod(value, "on") && isRecord(memberOf(value, "headers"))
}

function isResponse(value: unknown): value is ServerResponse {
  return hasMethod(value, "on") && hasMethod(value, "writeHead")
}

function isWrappedRequest(value: unknown): value is WrappedRequest {
  return isRequest(memberOf(value, "raw"))
}

function isWrappedReply(value: unknown): value is WrappedReply {
  return isResponse(memberOf(value, "raw")) && hasMethod(value, "hijack") && hasMethod(value, "getHeaders")
}

function isContext(value: unknown): value is NodeContext {
  return isRequest(memberOf(value, "req")) && isResponse(memberOf(value, "res"))
}
