import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { ResultSchema, type ServerNotification, type ServerRequest } from "@modelcontextprotocol/sdk/types.js"
import type { Caller, Endpoint, Report } from "../border/binding.js"
import { afterNotices } from "../border/server/deliver-notices.js"
import { putRequests } from "../border/server/put-requests.js"
import { ANSWER_TIME, type Call, createPeer, toContext } from "../border/server/to-context.js"
import { METHOD_NOT_FOUND } from "../handlers/handler.js"
import { type Method, ownMethods } from "../handlers/methods.js"
import { type Handler, ProtocolError } from "../index.js"
import type { Attachment } from "./create-attachment.js"
import { type ListKind, type MergedList, mergeLists } from "./lists.js"
import { type Extra, internalsOf, type SdkHandler } from "./sdk-server.js"

/**
 * Puts handlers on a server in place of its own.
 *
 * @returns Restores the server's handlers, except for methods that were replaced in the meantime.
 */
export function putHandlers(server: Server, handlers: Handlers, methods: readonly string[]): () => void {
  const present = internalsOf(server).handlers
  const undo = methods.map((method) => {
    const handler = handlers.get(method)
    if (handler === undefined) throw new Error(`unreachable: there is no handler of "${method}"`)
    const before = present.get(method)
    // `setRequestHandler` takes a schema for each method and answers its faults with -32603. Our handlers check their
    // parameters and name the fault.
    present.set(method, handler)
    return () => {
      if (present.get(method) !== handler) return
      if (before === undefined) server.removeRequestHandler(method)
      else present.set(method, before)
    }
  })
  return () => {
    for (const takeOff of undo) takeOff()
  }
}

/** Our handlers and the server's own. */
export interface MethodsOptions {
  /** Returns our handler of a method. */
  ours(method: string): SdkHandler
  /** The server's own handlers, by method. */
  readonly theirs: ReadonlyMap<string, SdkHandler>
  /** Whether a tool's name or a resource's URI is ours. */
  knows(key: "name" | "uri", id: string, extra: Extra): Promise<boolean>
  /** The largest page of a list. */
  readonly pageSize: number
  /** Takes reports of names that exist on both sides. */
  readonly report: Report
}

/**
 * Creates handlers that answer for both sides: lists are merged, and a request about a tool or resource goes to the side that
 * knows it. Any other request goes to the server's own handler if there is one.
 */
export function createMethods(options: MethodsOptions): Handlers {
  const lists = new Map<string, MergedList>()
  for (const [method, { list }] of ownMethods) {
    if (list !== undefined) lists.set(method, merge({ method, ...list }, options))
  }
  const answer = (method: string, about: Method["about"]): SdkHandler => {
    const list = lists.get(about?.list ?? method)
    if (list === undefined) return options.theirs.get(method) ?? options.ours(method)
    return about === undefined ? list.list : route({ method, key: about.key }, list, options)
  }
  return new Map([...ownMethods].map(([method, { about }]) => [method, answer(method, about)]))
}

/** Handlers by method. */
type Handlers = ReadonlyMap<string, SdkHandler>

function merge(kind: ListKind, { ours, theirs, pageSize, report }: MethodsOptions): MergedList {
  const list = ours(kind.method)
  const before = theirs.get(kind.method)
  if (before === undefined) return { list, isTheirs: async () => false }
  return mergeLists({ kind, ours: list, theirs: before, pageSize, report })
}

/** Routes a request. Unknown names go to the server's own handler, which may answer more than it lists. */
function route(
  { method, key }: { readonly method: string; readonly key: "name" | "uri" },
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

/** Creates our handlers in SDK v1's form, for the sender of each request. */
export function createOurs(endpoint: Endpoint, server: Server, attachment: Attachment): (method: string) => SdkHandler {
  return (method) =>
    async ({ params = {} }, extra) => {
      const { connection, caller } = await attachment.of(extra)
      const handler = connection.handlers[method] ?? connection.subscriptions().handlers[method] ?? notFound
      const asking = method === "tools/call" ? putRequests(handler, { isCall: true }) : handler
      const answer = afterNotices(endpoint, method, asking)
      const call = toCall(caller, server, extra)
      return answer(params, call.context).finally(call.end)
    }
}

const notFound: Handler = async () => {
  throw new ProtocolError(METHOD_NOT_FOUND, "Method not found")
}

/** Converts SDK v1's request context. */
function toCall(caller: Caller, server: Server, extra: Extra): Call {
  const { signal, sessionId, _meta: meta } = extra
  const clientCapabilities = { ...server.getClientCapabilities() }
  const { peer, end } = createPeer({
    signal,
    clientCapabilities,
    // The SDK sends any method, but its types include only those of the specification.
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
