import type { ClientInfo, Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { Path } from "../../names/path.js"
import { createClientReport, type ReportClient } from "../server/client-report.js"
import { REFUSED, type RequestId } from "../server/rpc-error.js"
import { type Answer, refuse } from "./exchange.js"
import type { Visitor } from "./site.js"

/** An admitted request to an MCP endpoint. */
export interface McpVisitor extends Visitor {
  /** The requested service, as link keys from the root; empty if links are not endpoints. */
  readonly path: Path
  /** The request's id; `null` unless the body contains exactly one request. */
  readonly requestId: RequestId
  /** Takes a lease on the caller's view of the service. Without such a service, sends a 404 and returns `undefined`. */
  open(): Connection | undefined
  /** Returns the caller of requests outside a session. */
  callerOn(leg: Leg): Caller
  /** Reports a connection error to the operator, at most once a minute. */
  readonly failed: (cause: Error) => void
}

/** Request parts needed by its visitor. */
interface MessageFacts extends Pick<McpVisitor, "requestId"> {
  /** The client's stated name and version, if any. */
  readonly info: ClientInfo | undefined
}

/** Creates the function that makes visitors of one endpoint. */
export function createEntrance(endpoint: Endpoint): (visitor: Visitor, path: Path, facts: MessageFacts) => McpVisitor {
  const tell = createClientReport(endpoint.host)
  return (visitor, path, { requestId, info }) => {
    const { client, principal, head } = visitor
    const header = (name: string): string | undefined => head.headers.get(name) ?? undefined
    return {
      path,
      requestId,
      ...visitor,
      open() {
        const connection = endpoint.openAt(path, principal, info)
        if (connection === undefined) visitor.send(nothingThere())
        return connection
      },
      callerOn: (leg) => ({ client, leg, ...(principal && { principal }), ...(leg.era === "modern" && { header }) }),
      failed: createFailed(client, tell),
    }
  }
}

/** A separate function, so that the session that keeps it does not keep its opening request. */
function createFailed(client: string, tell: ReportClient): McpVisitor["failed"] {
  const message = `the connection failed for client "${client}"`
  return (cause) => tell(client, { code: "transport_failed", message, ...withoutWords(cause) })
}

/** Drops an error that quotes the client's message, which must not be logged. */
function withoutWords(cause: Error): { readonly cause?: Error } {
  return /^(Received|Unknown message)/.test(cause.message) ? {} : { cause }
}

/** Answers a request to a path that leads to no service. */
export function nothingThere(): Answer {
  return refuse(404, { code: REFUSED, message: "Not Found: no MCP endpoint at this path" })
}
