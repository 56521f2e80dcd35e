import type { Principal } from "@x/agentic-service"
import { AdapterError } from "../../adapter-error.js"
import type { Endpoint } from "../../endpoint.js"
import type { Report } from "../../runtime/diagnostic.js"
import { createClientReport, type ReportClient } from "../server/client-report.js"
import { type AdmitOptions, createAdmit } from "./admit.js"
import { preflight, shareWithOrigin } from "./cors.js"
import { createStreams, type Streams } from "./create-streams.js"
import { createGuard, type GuardOptions } from "./guard.js"
import type { RequestExtra } from "./http-exchange.js"
import { type BodyLimits, type ReadBody, readBody } from "./read-body.js"
import { refuse } from "./refuse.js"
import { toClient } from "./to-caller.js"

/** Who may reach an HTTP endpoint, how often, and with how much. */
export interface GateOptions extends GuardOptions, AdmitOptions, BodyLimits {}

/** A request that was let in. */
export interface Visitor {
  /** The request; its body is not read yet. */
  readonly request: Request
  /** What else is known about it. */
  readonly extra: RequestExtra
  /** Who sent it; `undefined` is anonymous. */
  readonly principal: Principal | undefined
  /** What limits count by: the principal, else the remote address. */
  readonly client: string
  /** Reads and parses the JSON body within its limits, or gives the answer that refuses it. To be called once. */
  readBody(): Promise<ReadBody>
  /**
   * Bounds an answer that is an event stream, counts it in the ledger, and drops a peer that leaves too much of it unread;
   * any other answer is complete as it is.
   *
   * @param ended - Runs once, when the answer is complete or its stream has ended, however it ended.
   */
  bound(response: Response, ended: () => void): Response
}

/** What every request to an HTTP endpoint passes, before and after it is served. */
export interface Gate {
  /**
   * Refuses strangers by `Host`, `Origin`, credentials and rate, in this order, answers a browser's preflight, and lets
   * `serve` answer everybody else; a throw of it is reported and answered with 500, or 503 where all is closing. Never rejects.
   */
  answer(request: Request, extra: RequestExtra, serve: (visitor: Visitor) => Promise<Response>): Promise<Response>
  /** Resolves once no stream that was bounded is open. */
  idle(): Promise<void>
}

/** What a gate needs of an adapter or endpoint. */
export type GateHost = Pick<Endpoint, "ledger" | "report" | "clock">

/** What a gate shares with the endpoint behind it. */
export interface GateParts {
  /** Tells the operator of what clients did. */
  readonly tell: ReportClient
  /** The event streams. */
  readonly streams: Streams
}

/** What is shared, for one endpoint. */
export function createGateParts(host: GateHost): GateParts {
  return { tell: createClientReport(host), streams: createStreams(host) }
}

/** The gate of one HTTP endpoint. */
export function createGate(host: GateHost, options: GateOptions, { tell, streams }: GateParts): Gate {
  const refused = createGuard(options)
  const admit = createAdmit(options, tell)
  const pass: Gate["answer"] = async (request, extra, serve) => {
    const admitted = await admit(request, extra)
    if (!admitted.ok) return admitted.response
    const { principal } = admitted
    const client = toClient(principal, extra)
    return serve({
      request,
      extra,
      principal,
      client,
      async readBody() {
        const read = await readBody(request, extra, options)
        if (!read.ok)
          tell(client, { code: "body_refused", message: `a body of "${client}" was refused: ${read.reason}` })
        return read
      },
      bound: (response, ended) => streams.pass({ request, extra }, response, ended),
    })
  }
  return {
    async answer(request, extra, serve) {
      const refusal = refused(request)
      if (refusal !== undefined) return refusal
      if (request.method === "OPTIONS") return shareWithOrigin(request, preflight(request))
      const response = await pass(request, extra, serve).catch((cause: unknown) => fail(host.report, cause))
      return shareWithOrigin(request, response)
    },
    idle: streams.idle,
  }
}

function fail(report: Report, cause: unknown): Response {
  // Nothing is broken: the application is closing, or has all the callers it can have.
  if (cause instanceof AdapterError && (cause.code === "closed" || cause.code === "too_many_principals")) {
    report({ code: "handler_failed", message: `a request was not served: ${cause.message}` })
    return refuse(503, -32000, "Service Unavailable: try again later")
  }
  report({ code: "handler_failed", message: "a request was not served: see the cause", cause })
  return refuse(500, -32603, "Internal server error")
}
