import type { Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { Path } from "../../names/path.js"
import { createClientReport, type ReportClient } from "../server/client-report.js"
import { REFUSED, type RequestId } from "../server/rpc-error.js"
import { type Answer, refuse } from "./exchange.js"
import type { Visitor } from "./site.js"

/** A request to an MCP endpoint that was let in. */
export interface McpVisitor extends Visitor {
  /** The service that is called, as link keys from the root; empty where links are no endpoints. */
  readonly path: Path
  /** What the one request is known by that it holds; `null` where it holds none, or several. */
  readonly requestId: RequestId
  /** Takes a lease on what the caller may see there; answers, and gives `undefined`, where there is nothing. */
  open(): Connection | undefined
  /** Who calls, for what belongs to no session. */
  callerOn(leg: Leg): Caller
  /** Told what goes wrong with the connection; tells the operator once a minute. */
  readonly failed: (cause: Error) => void
}

/** Makes visitors of one endpoint. */
export function createEntrance(endpoint: Endpoint): (visitor: Visitor, path: Path, requestId: RequestId) => McpVisitor {
  const tell = createClientReport(endpoint.host)
  return (visitor, path, requestId) => {
    const { client, principal } = visitor
    return {
      path,
      requestId,
      ...visitor,
      open() {
        const connection = endpoint.openAt(path, principal)
        if (connection === undefined) visitor.send(nothingThere())
        return connection
      },
      callerOn: (leg) => ({ client, leg, ...(principal && { principal }) }),
      failed: createFailed(client, tell),
    }
  }
}

/** Apart from the visitor, because a session keeps it: the request that opened it is to be forgotten. */
function createFailed(client: string, tell: ReportClient): McpVisitor["failed"] {
  const message = `something went wrong with the connection of "${client}"`
  return (cause) => tell(client, { code: "transport_failed", message, ...withoutWords(cause) })
}

/** What a client has sent is not for the log. */
function withoutWords(cause: Error): { readonly cause?: Error } {
  return /^(Received|Unknown message)/.test(cause.message) ? {} : { cause }
}

/** Answers a request to a path of links that leads nowhere, or to where nothing is served. */
export function nothingThere(): Answer {
  return refuse(404, { code: REFUSED, message: "Not Found: there is no MCP endpoint at this path now" })
}
