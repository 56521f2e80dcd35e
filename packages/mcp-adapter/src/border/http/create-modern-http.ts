import { createMcpHandler, InMemoryServerEventBus } from "@modelcontextprotocol/server"
import type { Leg } from "../../calls/call-context.js"
import type { Connection, Endpoint } from "../../endpoint.js"
import type { View } from "../../views/view.js"
import { createServer } from "../server/create-server.js"
import { publishNotices } from "../server/deliver-notices.js"
import { listenedUris } from "../server/listened-uris.js"
import type { Streams } from "./create-streams.js"
import { type HttpExchange, type HttpHalf, nothingThere, toCaller } from "./http-exchange.js"

const LEG: Leg = { transport: "http", era: "modern", notices: true }

/** The modern era over HTTP (2026-07-28): a server for each request, and a lease for as long as its answer lasts. */
export function createModernHttp(endpoint: Endpoint, streams: Streams): HttpHalf {
  const handlers = new Map<View, ViewHandler>()
  const handlerOf = (view: View): ViewHandler => {
    const handler = handlers.get(view) ?? createViewHandler(endpoint, view, () => handlers.delete(view))
    handlers.set(view, handler)
    return handler
  }
  return {
    async serve(exchange) {
      const connection = endpoint.openAt(exchange.path, exchange.principal)
      if (connection === undefined) return nothingThere()
      const unwatch = connection.view.watch(listenedUris(exchange.body) ?? [])
      const ended = () => {
        unwatch()
        connection.release()
      }
      try {
        const response = await handlerOf(connection.view).serve(exchange, connection)
        return streams.pass(exchange, response, ended)
      } catch (error) {
        ended()
        throw error
      }
    },
    async close() {
      await Promise.all([...handlers.values()].map((handler) => handler.close()))
      handlers.clear()
    },
  }
}

interface ViewHandler {
  serve(exchange: HttpExchange, connection: Connection): Promise<Response>
  close(): Promise<void>
}

/** One SDK handler and one bus for each view, because the SDK's listen streams hear everything their bus carries. */
function createViewHandler(endpoint: Endpoint, view: View, gone: () => void): ViewHandler {
  const served = new WeakMap<Request, { readonly exchange: HttpExchange; readonly connection: Connection }>()
  const bus = new InMemoryServerEventBus()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const found = requestInfo && served.get(requestInfo)
      if (found === undefined) throw new Error("the SDK did not hand on the request it was given")
      return createServer(endpoint, found.connection, toCaller(found.exchange, LEG))
    },
    {
      legacy: "reject",
      bus,
      // They are counted before, over all views.
      maxSubscriptions: Number.POSITIVE_INFINITY,
      onerror: (cause) => endpoint.host.report({ code: "transport_failed", message: cause.message, cause }),
    },
  )
  const ended = () => {
    gone()
    void handler.close()
  }
  const stop = publishNotices(endpoint, view, { bus, ended })
  return {
    serve(exchange, connection) {
      const { request, body, extra } = exchange
      served.set(request, { exchange, connection })
      return handler.fetch(request, { parsedBody: body, ...(extra.authInfo && { authInfo: extra.authInfo }) })
    },
    close() {
      stop()
      return handler.close()
    },
  }
}
