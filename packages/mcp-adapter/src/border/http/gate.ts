import {
  type AuthInfo,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import { AdapterError } from "../../adapter-error.js"
import type { Report } from "../../runtime/diagnostic.js"
import type { Host } from "../../runtime/host.js"
import { createClientReport, type ReportClient } from "../server/client-report.js"
import { type Authenticate, isAnswer } from "./auth.js"
import { createStreams, type Streams } from "./create-streams.js"
import { type RequestExtra, refuse, toClient } from "./http-exchange.js"
import { createRequestRate, type RequestRate } from "./limits.js"
import { type BodyLimits, type ReadBody, readBody } from "./read-body.js"

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
type GateHost = Host

/** What a gate shares with the endpoint behind it. */
interface GateParts {
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

/** Who is let in, and how often. */
export interface AdmitOptions {
  /**
   * Lets in who it knows, and answers strangers, for every request anew and before its body is looked at:
   * `bearer`, `apiKeys` or a function. Default: everybody is let in.
   */
  readonly authenticate?: Authenticate
  /**
   * Says who calls, where the host has refused strangers already and there is no `authenticate`. `undefined` is anonymous,
   * which is everybody by default; a throw is reported and answered with 500.
   */
  readonly principal?: (
    request: Request,
    authInfo: AuthInfo | undefined,
  ) => Principal | undefined | Promise<Principal | undefined>
  /**
   * How often a client, which is a principal or the address of who has none, may send a request; more is a 429. `false`
   * for no limit. Behind a proxy, anonymous clients are all one.
   */
  readonly requestRate?: RequestRate | false
}

/** Who is let in, or the answer for who is not. */
type Admitted =
  | { readonly ok: true; readonly principal: Principal | undefined }
  | { readonly ok: false; readonly response: Response }

/** Decides about one request. */
type Admit = (request: Request, extra: RequestExtra) => Promise<Admitted>

/**
 * Asks who it is, then counts. Strangers are refused uncounted, since they must not use up what others have; the operator
 * hears from where, and of nothing that they sent.
 */
export function createAdmit(options: AdmitOptions, tell: ReportClient): Admit {
  const { requestRate = {} } = options
  const count = requestRate === false ? () => undefined : createRequestRate(requestRate, tell)
  return async (request, extra) => {
    const who = await identify(options, request, extra)
    if (isAnswer(who)) {
      const stranger = toClient(undefined, extra)
      if (!who.ok) tell(stranger, { code: "auth_refused", message: toRefused(stranger, who.status) })
      return { ok: false, response: who }
    }
    const response = count(toClient(who, extra))
    return response ? { ok: false, response } : { ok: true, principal: who }
  }
}

function toRefused(stranger: string, status: number): string {
  return `"authenticate" refused a request from "${stranger}" with ${status}`
}

async function identify(
  { authenticate, principal }: AdmitOptions,
  request: Request,
  { authInfo }: RequestExtra,
): Promise<Principal | Response | undefined> {
  if (authenticate === undefined) return principal?.(request, authInfo)
  const who: unknown = await authenticate(request)
  // Code without types may give nothing for a stranger, which must not let it in.
  if (typeof who !== "object" || who === null) {
    throw new TypeError(`"authenticate" gave ${String(who)}, expected a principal or a response`)
  }
  return who as Principal | Response // what the type of `authenticate` says, and the line above has looked at
}

/** Which hosts and origins may reach a server. */
export interface GuardOptions {
  /**
   * Host names the `Host` header may carry, without port; IPv6 in brackets. Default: `localhost`, `127.0.0.1`, `[::1]`.
   * This is what keeps a web page from reaching a local server under a name of its own (DNS rebinding).
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Host names of the origins a browser may call from, without scheme and port; `<scheme>://*` for all extensions of a
   * browser. They get CORS headers; any other `Origin` is a 403. Default: the names of this machine, as for hosts.
   */
  readonly allowedOrigins?: readonly string[]
}

/** Decides who may talk to an endpoint at all, before anything is read: the answer that refuses a request, or `undefined`. */
type Guard = (request: Request) => Response | undefined

/** The SDK's Host and Origin checks (2026-07-28, basic/transports/streamable-http, security), with our defaults. */
function createGuard(options: GuardOptions): Guard {
  const hosts = [...(options.allowedHosts ?? localhostAllowedHostnames())]
  const origins = [...(options.allowedOrigins ?? localhostAllowedOrigins())]
  return (request) => hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins)
}

/** Lets a page read the answer. Only for origins that passed the guard. */
function shareWithOrigin(request: Request, response: Response): Response {
  const origin = request.headers.get("origin")
  if (origin === null) return response
  response.headers.set("access-control-allow-origin", origin)
  response.headers.set("access-control-expose-headers", EXPOSED)
  response.headers.append("vary", "Origin")
  return response
}

/** Answers what a browser asks before it sends a page's request. */
function preflight(request: Request): Response {
  const asked = request.headers.get("access-control-request-headers")?.split(",") ?? []
  // A header for each annotated argument, named by the tool (2026-07-28, basic/transports/streamable-http).
  const params = asked.map((name) => name.trim().toLowerCase()).filter((name) => name.startsWith("mcp-param-"))
  return new Response(null, {
    status: 204,
    headers: {
      allow: METHODS,
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": [...ACCEPTED, ...params].join(", "),
      "access-control-max-age": "86400",
    },
  })
}

const METHODS = "GET, POST, DELETE, OPTIONS"
const EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After"
const ACCEPTED = [
  "accept",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "x-api-key",
  "x-session-id",
]
