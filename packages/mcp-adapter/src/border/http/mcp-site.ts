import type { OptionRule } from "@x/base"
import type { Endpoint } from "../../endpoint.js"
import { type Path, parsePath } from "../../names/path.js"
import { runCallback } from "../../runtime/callback.js"
import { clientOf, readClaim, toVersionFault } from "../server/era.js"
import { type CheckedBody, checkBody, goesOn, type ValidMessage } from "../server/messages.js"
import { CLOSING, INVALID_REQUEST } from "../server/rpc-error.js"
import { createStops, type Stops } from "../server/stops.js"
import { createWork, DRAIN, STOPPING } from "../server/work.js"
import { checkAnswer } from "./auth-answer.js"
import { isVisit, showToVisitor } from "./browser-page.js"
import { type Answer, type Exchange, methodNotAllowed, pathOf, refuse, tryLater } from "./exchange.js"
import { createLegacyHttp, type LegacyHttp } from "./legacy-http.js"
import type { Messages } from "./legacy-session.js"
import { type ListenLimits, listenRules } from "./listen-limit.js"
import { createEntrance, type McpVisitor, nothingThere } from "./mcp-visitor.js"
import { createModernHttp, type ModernHttp } from "./modern.js"
import { type SessionLimits, sessionRules } from "./sessions.js"
import { createHttpSite, type SiteOptions, siteRules, type Visitor } from "./site.js"
import { createStatelessHttp } from "./stateless-http.js"
import { createStreamCheck } from "./stream-check.js"
import { tellEra } from "./tell-era.js"

/** Options of MCP over HTTP. */
export interface McpSiteOptions extends SiteOptions, SessionLimits, ListenLimits {
  /**
   * How clients of revisions up to 2025-11-25 are served; newer ones do not need it. Default `sessions`: the server keeps state
   * for each client and sends notices over a stream. `stateless`: each request gets one JSON body; nothing is sent unasked, any
   * number of processes can share the load, and bare `curl` works. `reject`: clients are told the supported revisions.
   */
  readonly legacy?: "sessions" | "stateless" | "reject"
  /** How long running calls may take to finish after `close`, in milliseconds; then they are told to stop. Default 5,000. */
  readonly drainMs?: number
}

/** The validation rules of {@link McpSiteOptions}. */
export const mcpSiteRules: Record<keyof McpSiteOptions, OptionRule> = {
  ...siteRules,
  ...sessionRules,
  ...listenRules,
  legacy: ["sessions", "stateless", "reject"],
  drainMs: { from: 0 },
}

/** MCP over HTTP, independent of the host. */
export interface HttpEndpoint {
  /** Answers one request; resolves when it is answered. Never rejects. */
  answer(exchange: Exchange): Promise<void>
  /**
   * Shuts down: answers new requests with 503, lets running calls finish for `drainMs`, then tells them to stop and answers
   * them, ends all streams and sessions, and resolves once they are gone. Messages that belong to a running call still get
   * through, such as its cancellation or a person's answer. Idempotent.
   */
  close(): Promise<void>
  /** Returns how many bytes all requests hold now, of the `maxHeldBytes` allowed. */
  held(): number
}

/**
 * Creates an HTTP endpoint that picks the era, session and method for each admitted request.
 *
 * @param pathTo - Returns a URL path's service, as link keys from the root; `undefined` for any other path.
 */
export function createMcpSite(
  endpoint: Endpoint,
  options: McpSiteOptions,
  pathTo: (path: string) => Path | undefined,
): HttpEndpoint {
  const { host } = endpoint
  const stops = createStops()
  const modern = createModernHttp(endpoint, stops, options)
  const legacy = createLegacy(endpoint, stops, options)
  const closing = createClosing(endpoint, options.drainMs ?? DRAIN)
  const enter = createEntrance(endpoint)
  const streams = createStreamCheck(host.report)
  const checkStreams = (body: CheckedBody, visitor: Visitor): void => {
    if (opensSession(body) && legacy.methods.includes("GET")) streams.begin(visitor)
  }
  const take = async (body: CheckedBody, visitor: Visitor, path: Path): Promise<void> => {
    const requestId = body.kind === "request" ? body.message.id : null
    const info = body.kind === "request" ? clientOf(body.message) : undefined
    const entered = enter(visitor, path, { requestId, info })
    const challenge = endpoint.scoped ? await findChallenge(body, entered, options.authenticate) : undefined
    if (challenge === undefined) await servePost(body, entered, { modern, legacy })
    else visitor.send(challenge)
  }
  const post = async (visitor: Visitor, path: Path): Promise<void> => {
    const read = await visitor.readBody()
    if (!read.ok) return visitor.send(read.answer)
    const body = checkBody(read.body)
    const refusal = closing.refuses(body)
    if (refusal !== undefined) return visitor.send(refusal)
    const answered = closing.begin(body)
    try {
      await take(body, visitor, path)
    } finally {
      answered()
    }
    checkStreams(body, visitor)
  }
  const serve = async (visitor: Visitor): Promise<void> => {
    const { method } = visitor.head
    const path = pathTo(pathOf(visitor.head))
    if (path === undefined) return visitor.send(nothingThere())
    // The root is always reached.
    if (path.length > 0 && !(await endpoint.reaches(path, visitor.principal))) return visitor.send(nothingThere())
    const { methods } = legacy
    if (!methods.includes(method)) return visitor.send(methodNotAllowed(method, methods.join(", ")))
    if (method === "POST") return post(visitor, path)
    if (!closing.admitsHead(visitor.head)) return visitor.send(tryLater(503, CLOSING.message))
    return legacy.serve(enter(visitor, path, { requestId: null, info: undefined }))
  }
  const site = createHttpSite(host, options, serve)
  return {
    answer(exchange) {
      const { head } = exchange
      if (!streams.takes(head)) return site.answer(isVisit(head) ? showToVisitor(exchange) : exchange)
      exchange.send({ status: 204 })
      return Promise.resolve()
    },
    held: site.held,
    close: () =>
      closing.close(stops, async () => {
        streams.close()
        modern.close()
        await legacy.close()
        await site.idle()
      }),
  }
}

function opensSession(body: CheckedBody): boolean {
  return body.kind === "request" && body.message.method === "initialize"
}

function createLegacy(endpoint: Endpoint, stops: Stops, options: McpSiteOptions): LegacyHttp {
  const { legacy = "sessions" } = options
  if (legacy === "reject") return rejecting
  return legacy === "stateless" ? createStatelessHttp(endpoint, stops) : createLegacyHttp(endpoint, stops, options)
}

/** Refuses the legacy era: clients are told the supported revisions (2026-07-28, basic/versioning). */
const rejecting: LegacyHttp = {
  methods: ["POST"],
  serve: async () => {},
  async post(visitor, { all, batch }) {
    const [first] = all
    if (batch || first?.kind === "response") return visitor.send(refuse(400, NO_REQUEST, visitor.requestId))
    if (first?.kind !== "request") return visitor.send({ status: 202 })
    visitor.send(refuse(400, toVersionFault(versionOf(first.message.params, visitor)), visitor.requestId))
  },
  close: async () => {},
}

const NO_REQUEST = { code: INVALID_REQUEST, message: "expected one request or notification of revision 2026-07-28" }

/** The revision that a legacy request names, if any. */
function versionOf(params: unknown, { head }: McpVisitor): string | undefined {
  const asked: unknown = Reflect.get(Object(params), "protocolVersion")
  return typeof asked === "string" ? asked : (head.headers.get("mcp-protocol-version") ?? undefined)
}

/** The handlers of both eras. */
interface Eras {
  readonly modern: ModernHttp
  readonly legacy: LegacyHttp
}

function servePost(body: CheckedBody, visitor: McpVisitor, { modern, legacy }: Eras): Promise<void> | void {
  if (body.kind === "invalid") return visitor.send(refuse(400, body.error, body.id))
  if (body.kind === "batch") return legacy.post(visitor, { all: body.messages, batch: true })
  const messages: Messages = { all: [body], batch: false }
  if (body.kind === "response") return legacy.post(visitor, messages)
  const told = tellEra(visitor.head, body.message, readClaim(body.message))
  if (told.era === "refused") return visitor.send(refuse(400, told.error, visitor.requestId))
  if (told.era === "legacy") return legacy.post(visitor, messages)
  if (body.kind === "request") return modern.serve(visitor, body.message)
  visitor.send({ status: 202 })
}

/**
 * Returns the challenge for calls that need more scopes than the caller has, before any of them runs; it names all scopes that
 * would be enough (2026-07-28, basic/authorization, scope challenge).
 */
async function findChallenge(
  body: CheckedBody,
  visitor: McpVisitor,
  authenticate: SiteOptions["authenticate"],
): Promise<Answer | undefined> {
  const { challenge } = authenticate ?? {}
  if (challenge === undefined || body.kind === "invalid") return undefined
  const calls = (body.kind === "batch" ? body.messages : [body]).flatMap(toCalled)
  const connection = calls.length === 0 ? undefined : visitor.open()
  if (connection === undefined) return undefined
  const { lacks } = connection
  const { principal } = visitor
  try {
    if (lacks === undefined) return undefined
    const lacking = await Promise.all(calls.map(({ name, args }) => lacks(name, args, principal)))
    const missing = lacking.flat()
    if (missing.length === 0) return undefined
    const enough = [...new Set([...(principal?.scopes ?? []), ...missing])]
    return checkAnswer("authenticate.challenge", await runCallback("authenticate.challenge", () => challenge(enough)))
  } finally {
    connection.release()
  }
}

function toCalled({ kind, message }: ValidMessage): readonly { readonly name: string; readonly args: unknown }[] {
  if (kind !== "request" || message.method !== "tools/call") return []
  const { name, arguments: args } = message.params ?? {}
  return typeof name === "string" ? [{ name, args }] : []
}

/** Lets an endpoint finish its requests before it ends. */
interface Closing {
  /** Whether a GET or a DELETE may still be served. A GET that resumes a stream may, since its answer may be waiting. */
  admitsHead(head: Visitor["head"]): boolean
  /** Returns the refusal of a message that asks for something new; `undefined` if it may be served. */
  refuses(body: CheckedBody): Answer | undefined
  /**
   * Counts a message that shutdown waits for.
   *
   * @returns Marks it as answered.
   */
  begin(body: CheckedBody): () => void
  /**
   * Refuses new requests, waits, tells the rest to stop, waits for their answers, then runs `end`. Only the first call counts.
   */
  close(stops: Stops, end: () => Promise<void>): Promise<void>
}

function createClosing({ host }: Endpoint, drainMs: number): Closing {
  const work = createWork(host)
  let ended = false
  let closing: Promise<void> | undefined
  const end = async (stops: Stops, last: () => Promise<void>): Promise<void> => {
    await work.idle(drainMs)
    stops.all()
    await work.idle(STOPPING)
    ended = true
    await last()
  }
  return {
    admitsHead: ({ method, headers }) =>
      closing === undefined || (!ended && (method !== "GET" || headers.get("last-event-id") !== null)),
    refuses(body) {
      if (closing === undefined || (!ended && !isNew(body))) return undefined
      const id = body.kind === "request" ? body.message.id : null
      const { headers } = tryLater(503, CLOSING.message)
      return { ...refuse(503, CLOSING, id), ...(headers && { headers }) }
    },
    begin: (body) => (isWaitedFor(body) ? work.begin() : () => {}),
    close(stops, last) {
      closing ??= end(stops, last)
      return closing
    },
  }
}

/** Whether a message asks for something new, and does not belong to an earlier call. */
function isNew(body: CheckedBody): boolean {
  if (body.kind === "batch") return body.messages.some(isNew)
  return body.kind === "request" && !goesOn(body.message)
}

/** Whether shutdown waits for the message. Listen streams are ended by the server itself. */
function isWaitedFor(body: CheckedBody): boolean {
  if (body.kind === "batch") return body.messages.some(isWaitedFor)
  return body.kind === "request" && body.message.method !== "subscriptions/listen"
}

/**
 * Returns the service that a URL path names, if each has an endpoint of its own; `undefined` if it names none. `base` is the
 * path of the root's endpoint. Routers that strip the mount prefix leave only the part after it.
 */
export function toLinkPath(pathname: string, base: string): Path | undefined {
  const below = pathname === base || pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
  return parseBelow(below) ?? parseBelow(pathname)
}

/** Strips the slashes at a path's end. */
export function toBase(path: string): string {
  return path.replace(/\/+$/, "")
}

function parseBelow(below: string): Path | undefined {
  if (below === "" || below === "/") return []
  const path = below.startsWith(LINKS) ? parsePath(below.slice(LINKS.length)) : undefined
  return path?.length === 0 ? undefined : path
}

const LINKS = "/links/"
