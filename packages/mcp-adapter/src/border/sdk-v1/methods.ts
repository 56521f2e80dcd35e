import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  RequestSchema,
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
import type { CallContext } from "../../calls/call-context.js"
import type { Caller, Endpoint } from "../../endpoint.js"
import { type Handler, METHOD_NOT_FOUND, type Params, ProtocolError, type Result } from "../../handlers/handler.js"
import { type OwnMethod, ownMethodNames, ownMethods } from "../../handlers/methods.js"
import type { Report } from "../../runtime/diagnostic.js"
import { afterNotices } from "../server/deliver-notices.js"
import { ANSWER_TIME, type Call, createPeer, toContext } from "../server/to-context.js"
import type { Attachment } from "./create-attachment.js"
import { type ListKind, type MergedList, mergeLists } from "./lists.js"
import { type Extra, internalsOf, type SdkHandler } from "./sdk-server.js"

/**
 * Puts handlers on a server, in the place of those it has.
 *
 * @returns Takes them off and puts back what was there. One that was replaced since stays replaced.
 */
export function putHandlers(server: Server, handlers: Handlers, methods: readonly OwnMethod[]): () => void {
  const present = internalsOf(server).handlers
  const undo = methods.map((method) => {
    const handler = handlers.get(method)
    if (handler === undefined) throw new Error(`unreachable: there is no handler of "${method}"`)
    const before = present.get(method)
    // Ours check their parameters themselves and say what is wrong; the SDK's schemas would answer -32603.
    server.setRequestHandler(RequestSchema.extend({ method: schemas[method].shape.method }), handler)
    const put = present.get(method)
    return () => {
      if (present.get(method) !== put) return
      if (before === undefined) server.removeRequestHandler(method)
      else present.set(method, before)
    }
  })
  return () => {
    for (const takeOff of undo) takeOff()
  }
}

const schemas = {
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
  "resources/list": ListResourcesRequestSchema,
  "resources/templates/list": ListResourceTemplatesRequestSchema,
  "resources/read": ReadResourceRequestSchema,
  "resources/subscribe": SubscribeRequestSchema,
  "resources/unsubscribe": UnsubscribeRequestSchema,
} satisfies Record<OwnMethod, unknown>

/** What is ours, and what was there before. */
export interface MethodsOptions {
  /** Ours for a method. */
  ours(method: OwnMethod): SdkHandler
  /** Those the server had before us, by method. */
  readonly theirs: ReadonlyMap<string, SdkHandler>
  /** Whether a tool's name, or a resource's URI, means something to us. */
  knows(key: "name" | "uri", id: string, extra: Extra): Promise<boolean>
  /** The most items on a page of a list. */
  readonly pageSize: number
  /** Told of names that both have. */
  readonly report: Report
}

/** The handlers that answer for both: lists are merged, everything else goes to whoever knows what it is about. */
export function createMethods(options: MethodsOptions): Handlers {
  const lists = new Map(
    ownMethodNames.flatMap((name) => {
      const { list } = ownMethods[name]
      return list === undefined ? [] : [[name, merge({ method: name, ...list }, options)] as const]
    }),
  )
  const made = ownMethodNames.map((name): [OwnMethod, SdkHandler] => {
    const { about } = ownMethods[name]
    const list = lists.get(about?.list ?? name)
    if (list === undefined) throw new Error(`unreachable: "${name}" is of no list`)
    return [name, about === undefined ? list.list : route({ method: name, key: about.key }, list, options)]
  })
  return new Map(made)
}

/** Ours, by method. */
type Handlers = ReadonlyMap<OwnMethod, SdkHandler>

function merge(kind: ListKind, { ours, theirs, pageSize, report }: MethodsOptions): MergedList {
  const list = ours(kind.method)
  const before = theirs.get(kind.method)
  if (before === undefined) return { list, isTheirs: async () => false }
  return mergeLists({ kind, ours: list, theirs: before, pageSize, report })
}

/** What nobody knows goes to theirs, which may answer more than it lists. */
function route(
  { method, key }: { readonly method: OwnMethod; readonly key: "name" | "uri" },
  { isTheirs }: MergedList,
  options: MethodsOptions,
): SdkHandler {
  const ours = options.ours(method)
  const theirs = options.theirs.get(method)
  if (theirs === undefined) return ours
  return async (request, extra) => {
    const id = request.params?.[key]
    const known = typeof id === "string" && (await options.knows(key, id, extra)) && !(await isTheirs(id, extra))
    return known ? ours(request, extra) : theirs(request, extra)
  }
}

/** The neutral handlers as SDK v1 calls them, for whoever sends each request. */
export function createOurs(
  endpoint: Endpoint,
  server: Server,
  attachment: Attachment,
): (method: OwnMethod) => SdkHandler {
  return (method) =>
    async ({ params = {} }, extra) => {
      const { connection, caller } = await attachment.of(extra)
      const handler = connection.handlers[method] ?? connection.subscriptions().handlers[method] ?? notFound
      const answer = method === "tools/call" ? afterNotices(endpoint, putQuestions(handler)) : handler
      const call = toCall(caller, server, extra)
      return answer(params, call.context).finally(call.end)
    }
}

const notFound: Handler = async () => {
  throw new ProtocolError(METHOD_NOT_FOUND, "OwnMethod not found")
}

/** How often one call may ask, as in SDK v2. */
const ROUNDS = 8

/**
 * Puts what a call has to ask to the client, and calls again with the answers: in the legacy era it is the server that asks
 * (2025-11-25, client/elicitation), and SDK v1 does not do that by itself for a result that says so. What cannot be asked is
 * a result with `isError`.
 */
export function putQuestions(handler: Handler): Handler {
  return async (params, context) => {
    let result = await handler(params, context)
    for (let round = 0; result["resultType"] === "input_required"; round += 1) {
      if (round === ROUNDS) return toFailure(`there was no answer that can be used in ${ROUNDS} rounds`)
      const answered = await ask(result, context).catch(toUnasked)
      if (typeof answered === "string") return toFailure(answered)
      result = await handler(params, { ...context, ...answered })
    }
    return result
  }
}

type Answered = Required<Pick<CallContext, "inputResponses">> & Pick<CallContext, "requestState">

/** One after the other: there is one person to ask. */
async function ask({ inputRequests, requestState }: Result, { peer }: CallContext): Promise<Answered> {
  const inputResponses: Record<string, unknown> = {}
  for (const [key, request] of Object.entries(inputRequests ?? {})) {
    inputResponses[key] = await put(request, peer)
  }
  return { inputResponses, ...(typeof requestState === "string" && { requestState }) }
}

type Question = { readonly method: string; readonly params?: Params }

function put({ method, params }: Question, peer: CallContext["peer"]): Promise<unknown> {
  if (peer?.request === undefined) return Promise.reject(new Error("nothing reaches it between two answers"))
  return peer.request(method, params)
}

function toUnasked(cause: unknown): string {
  return `the client could not be asked: ${cause instanceof Error ? cause.message : String(cause)}`
}

function toFailure(reason: string): Result {
  return { content: [{ type: "text", text: `the action did not run, because ${reason}` }], isError: true }
}

/** Translates what SDK v1 knows about a request. */
function toCall(caller: Caller, server: Server, extra: Extra): Call {
  const { signal, sessionId, _meta: meta } = extra
  const clientCapabilities = { ...server.getClientCapabilities() }
  const { peer, end } = createPeer({
    signal,
    clientCapabilities,
    // The SDK sends any method; its types know those of the specification only.
    notify: (message) => extra.sendNotification(message as ServerNotification),
    log: (level, data, logger) => server.sendLoggingMessage({ level, data, ...(logger && { logger }) }, sessionId),
    ...(caller.leg.notices && {
      request: (message) =>
        // As above.
        extra.sendRequest(message as ServerRequest, ResultSchema, { timeout: ANSWER_TIME, signal }),
    }),
    failed: (error) => server.onerror?.(error),
  })
  return { context: toContext(caller, { server, meta, signal, peer, clientCapabilities }), end }
}
