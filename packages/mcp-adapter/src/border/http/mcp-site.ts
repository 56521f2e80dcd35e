import type { OptionRule } from "@x/tool-schemas/json"
import type { Endpoint } from "../../endpoint.js"
import { type Path, parsePath } from "../../names/path.js"
import { runCallback } from "../../runtime/callback.js"
import { findVersionFault, readClaim } from "../server/era.js"
import { type CheckedBody, checkBody, goesOn, type ValidMessage } from "../server/messages.js"
import { CLOSING, INVALID_REQUEST } from "../server/rpc-error.js"
import { createStops, type Stops } from "../server/stops.js"
import { createWork, DRAIN, STOPPING } from "../server/work.js"
import { checkAnswer } from "./auth-answer.js"
import { type Answer, type Exchange, methodNotAllowed, pathOf, refuse, tryLater } from "./exchange.js"
import { createLegacyHttp, createStatelessHttp, type LegacyHttp } from "./legacy-http.js"
import type { Messages } from "./legacy-session.js"
import { type ListenLimits, listenRules } from "./listen-limit.js"
import { createEntrance, type McpVisitor, nothingThere } from "./mcp-visitor.js"
import { createModernHttp, type ModernHttp } from "./modern.js"
import { type SessionLimits, sessionRules } from "./sessions.js"
import { createHttpSite, type SiteOptions, siteRules, type Visitor } from "./site.js"
import { tellEra } from "./tell-era.js"

/** How MCP is served over HTTP. */
export interface McpSiteOptions extends SiteOptions, SessionLimits, ListenLimits {
  /**
   * How clients of the revisions up to 2025-11-25 are served; the newer ones need none of it. Default `sessions`: notices
   * reach them over a stream, and state is kept for each. `stateless`: each request is answered alone, with one JSON
   * body; nothing arrives unasked, and any number of processes can share the load. It is lenient with bare `curl`.
   * `reject`: they are told which revisions are spoken.
   */
  readonly legacy?: "sessions" | "stateless" | "reject"
  /** How long calls may still run when the server is closed, in milliseconds; then they are told to stop. Default 5,000. */
  readonly drainMs?: number
}

/** What each of {@link McpSiteOptions} may be. */
export const mcpSiteRules: Record<keyof McpSiteOptions, OptionRule> = {
  ...siteRules,
  ...sessionRules,
  ...listenRules,
  legacy: ["sessions", "stateless", "reject"],
  drainMs: { from: 0 },
}

/** MCP over HTTP, whatever host the requests come from. */
export interface HttpEndpoint {
  /** Answers one request; resolves when it is answered. Never rejects. */
  answer(exchange: Exchange): Promise<void>
  /**
   * Answers new requests with 503, lets calls finish for as long as `drainMs` says, tells the rest to stop, which are then
   * answered, ends all streams and sessions, and resolves once they are gone. Meanwhile what belongs to a call comes
   * through: its cancellation, a person's answer. Idempotent.
   */
  close(): Promise<void>
  /** How many bytes all requests hold now, of those that `maxHeldBytes` allows. */
  held(): number
}

/**
 * Serves an endpoint: era, session and method, once a request has been let in.
 *
 * @param pathTo - Which service a request is for, as link keys from the root; `undefined` where it is for none.
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
  const post = async (visitor: Visitor, path: Path): Promise<void> => {
    const read = await visitor.readBody()
    if (!read.ok) return visitor.send(read.answer)
    const body = checkBody(read.body)
    const refusal = closing.refuses(body)
    if (refusal !== undefined) return visitor.send(refusal)
    const requestId = body.kind === "request" ? body.message.id : null
    const answered = closing.begin(body)
    const entered = enter(visitor, path, requestId)
    const challenge = endpoint.scoped ? await findChallenge(body, entered, options.authenticate) : undefined
    const served = challenge === undefined ? servePost(body, entered, { modern, legacy }) : visitor.send(challenge)
    await Promise.resolve(served).finally(answered)
  }
  const serve = async (visitor: Visitor): Promise<void> => {
    const { method } = visitor.head
    const path = pathTo(pathOf(visitor.head))
    if (path === undefined || !(await endpoint.reaches(path, visitor.principal))) return visitor.send(nothingThere())
    const { methods } = legacy
    if (!methods.includes(method)) return visitor.send(methodNotAllowed(method, methods.join(", ")))
    if (method === "POST") return post(visitor, path)
    if (!closing.admitsHead(visitor.head)) return visitor.send(tryLater(503, CLOSING.message))
    return legacy.serve(enter(visitor, path, null))
  }
  const site = createHttpSite(host, options, serve)
  return {
    answer: site.answer,
    held: site.held,
    close: () =>
      closing.close(stops, async () => {
        modern.close()
        await legacy.close()
        await site.idle()
      }),
  }
}

function createLegacy(endpoint: Endpoint, stops: Stops, options: McpSiteOptions): LegacyHttp {
  const { legacy = "sessions" } = options
  if (legacy === "reject") return rejecting
  return legacy === "stateless" ? createStatelessHttp(endpoint, stops) : createLegacyHttp(endpoint, stops, options)
}

/** No legacy era at all: its clients are told which revisions there are (2026-07-28, basic/versioning). */
const rejecting: LegacyHttp = {
  methods: ["POST"],
  serve: async () => {},
  async post(visitor, { all, batch }) {
    const [first] = all
    if (batch || first?.kind === "response") return visitor.send(refuse(400, NO_REQUEST, visitor.requestId))
    const fault = first?.kind === "request" ? findVersionFault(versionOf(first.message.params, visitor)) : undefined
    visitor.send(fault === undefined ? { status: 202 } : refuse(400, fault, visitor.requestId))
  },
  close: async () => {},
}

const NO_REQUEST = { code: INVALID_REQUEST, message: "expected one request or notification of revision 2026-07-28" }

/** The revision that a legacy request names, if it does. */
function versionOf(params: unknown, { head }: McpVisitor): string | undefined {
  const asked: unknown = Reflect.get(Object(params), "protocolVersion")
  return typeof asked === "string" ? asked : (head.headers.get("mcp-protocol-version") ?? undefined)
}

/** The two eras; what they serve, they are done with when it is answered. */
interface Eras {
  readonly modern: ModernHttp
  readonly legacy: LegacyHttp
}

async function servePost(body: CheckedBody, visitor: McpVisitor, { modern, legacy }: Eras): Promise<void> {
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
 * The answer to who asks for what takes more scopes than it holds, before any of it runs (2026-07-28, basic/authorization,
 * scope challenge); all that would be enough are named at once.
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

/** Lets an endpoint finish what it was asked before it ends. */
interface Closing {
  /** Whether a GET or a DELETE may still be served: who comes back for the rest of a stream may have an answer to fetch. */
  admitsHead(head: Visitor["head"]): boolean
  /** The answer to what is not to begin any more: what asks for something new. */
  refuses(body: CheckedBody): Answer | undefined
  /**
   * Notes what is to be waited for.
   *
   * @returns Notes that it is answered.
   */
  begin(body: CheckedBody): () => void
  /** Admits nothing new, waits, tells the rest to stop, waits for their answers, then runs `end`; only the first time counts. */
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

/** Whether it asks for something that does not belong to an earlier call. */
function isNew(body: CheckedBody): boolean {
  if (body.kind === "batch") return body.messages.some(isNew)
  return body.kind === "request" && !goesOn(body.message)
}

/** What listens is answered when the server ends it. */
function isWaitedFor(body: CheckedBody): boolean {
  if (body.kind === "batch") return body.messages.some(isWaitedFor)
  return body.kind === "request" && body.message.method !== "subscriptions/listen"
}

/**
 * Which service a URL path asks for, where each has an endpoint of its own; `undefined` where none is. `base` is the path of
 * the root's endpoint; routers that strip the prefix a handler is mounted at leave only what follows it.
 */
export function toLinkPath(pathname: string, base: string): Path | undefined {
  const below = pathname === base || pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
  return parseBelow(below) ?? parseBelow(pathname)
}

/** A path without the slashes at its end. */
export function toBase(path: string): string {
  return path.replace(/\/+$/, "")
}

function parseBelow(below: string): Path | undefined {
  if (below === "" || below === "/") return []
  const path = below.startsWith(LINKS) ? parsePath(below.slice(LINKS.length)) : undefined
  return path?.length === 0 ? undefined : path
}

const LINKS = "/links/"
