import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import { AdapterError } from "../../adapter-error.js"
import type { Report } from "../../runtime/diagnostic.js"
import { type Host, once } from "../../runtime/host.js"
import { createClientReport, type ReportClient } from "../server/client-report.js"
import { type AdmitOptions, admitRules, createAdmit } from "./admit.js"
import type { Admission } from "./auth.js"
import { type BodyLimits, bodyRules, type ReadBody, readBody, tooMuch } from "./body.js"
import { isWellKnown, readDocument, tellFault } from "./documents.js"
import { type Beats, createBeats, createEventStream, type EventStream, type OpenStream } from "./event-stream.js"
import { type Answer, type Exchange, type RequestExtra, type RequestHead, tryLater } from "./exchange.js"
import { createGuard, type GuardOptions, guardRules } from "./guard.js"
import { createMetadataCheck } from "./metadata-check.js"
import { createPool, type Pool } from "./shares.js"

/** Options that limit who may reach an HTTP endpoint, how often, and with how many bytes. */
export interface SiteOptions extends GuardOptions, AdmitOptions, BodyLimits {
  /**
   * The most bytes that all requests may hold: bodies until they are answered, and answers until they are read. Beyond it, the
   * client that holds the most has its largest request refused with 429, or is disconnected. Default 128 MiB.
   */
  readonly maxHeldBytes?: number
  /** The share of these bytes for each client: a principal, or an anonymous caller's address. Default 32 MiB. */
  readonly maxClientBytes?: number
}

/** The validation rules of {@link SiteOptions}. */
export const siteRules: Record<keyof SiteOptions, OptionRule> = {
  ...guardRules,
  ...admitRules,
  ...bodyRules,
  maxHeldBytes: { from: 1, whole: true },
  maxClientBytes: { from: 1, whole: true },
}

/** How a request ended: its answer was read, the client left before, or it was dropped to make room. */
export type End = "taken" | "gone" | "lost"

/** An admitted request and its answer channel. */
export interface Visitor extends Pick<Admission, "expires" | "holds"> {
  /** The request, before its body is read. */
  readonly head: RequestHead
  /** Information from the host. */
  readonly extra: RequestExtra
  /** The caller; `undefined` if anonymous. */
  readonly principal: Principal | undefined
  /** The key that limits count by: the principal's id, otherwise the address. */
  readonly client: string
  /** Reads and parses the JSON body within its limits, or returns the answer that refuses it. Call it once. */
  readBody(): Promise<ReadBody>
  /** Stops counting the body's bytes. */
  forgetBody(): void
  /** Sends a complete answer. Does nothing after the first answer, or once the request has ended. */
  send(answer: Answer): void
  /** Answers with an event stream, which counts in the ledger. A client that stops reading is disconnected after a while. */
  stream(headers?: Readonly<Record<string, string>>): EventStream
  /** Runs `callback` once, when the request has ended; at once if it already has. */
  onEnd(callback: (end: End) => void): void
  /** Runs `callback` once, when the answer is complete, read or not, or when the request has ended. */
  onAnswered(callback: () => void): void
  /** Whether the request has ended. */
  ended(): boolean
  /** The endpoint's shared timer. */
  readonly beats: Beats
}

/** An HTTP endpoint, independent of the host. */
export interface HttpSite {
  /** Answers one request; resolves when it is answered. Never rejects. */
  answer(exchange: Exchange): Promise<void>
  /** Resolves once no event stream is open. */
  idle(): Promise<void>
  /** Returns how many bytes all requests hold now: see {@link SiteOptions.maxHeldBytes}. */
  held(): number
}

/**
 * Creates the pipeline that every HTTP request passes. It refuses requests by `Host`, `Origin`, credentials and rate, in this
 * order and before the body is read, answers preflight requests, and passes all others to `serve`. If `serve` throws, the error
 * is reported and the client gets a 500, or a 503 during shutdown.
 *
 * @throws AdapterError `invalid_option`.
 */
export function createHttpSite(host: Host, options: SiteOptions, serve: (visitor: Visitor) => Promise<void>): HttpSite {
  const tell = createClientReport(host)
  const guard = createGuard(options)
  const admit = createAdmit(options, tell)
  const streams = createStreamCount(host)
  const { maxHeldBytes = 128 * 2 ** 20, maxClientBytes = 32 * 2 ** 20 } = options
  const pool = createPool({ total: maxHeldBytes, client: maxClientBytes })
  const site = { host, options, tell, pool, beats: createBeats(host), opened: streams.opened }
  const checkMetadata = createMetadataCheck(host.report)
  const pass = async (exchange: Exchange, shared: Shared): Promise<void> => {
    const admitted = await admit(exchange.head, exchange.extra)
    if (!admitted.ok) {
      checkMetadata(admitted.answer)
      return send(exchange, admitted.answer, shared)
    }
    const visitor = createVisitor(exchange, { shared, ...admitted }, site)
    if (!visitor.ended()) await serve(visitor)
  }
  return {
    async answer(exchange) {
      const { head } = exchange
      if (exchange.answeredElsewhere !== undefined) tellOfElsewhere(exchange, tell)
      if (isWellKnown(head))
        return exchange.send(guard.refusesHost(head) ?? readDocument(head, options.authenticate, host.report))
      const refusal = guard.refuses(head)
      if (refusal !== undefined) {
        // At most one line a minute, however many names a stranger tries.
        tell("", refusal.diagnostic)
        return exchange.send(refusal)
      }
      const shared = guard.shareWith(head)
      if (head.method === "OPTIONS") return send(exchange, guard.preflight(head), shared)
      await pass(exchange, shared).catch((cause: unknown) => send(exchange, toFault(host.report, cause), shared))
    },
    idle: streams.idle,
    held: pool.total,
  }
}

/** Reports a request that the framework around MCP answered first: the client never receives MCP's answer. */
function tellOfElsewhere(exchange: Exchange, tell: ReportClient): void {
  exchange.onOver(() => {
    if (exchange.answeredElsewhere?.() !== true) return
    const found = "the framework answered a request before MCP did"
    const change = "return or await the promise of handle(), such as (context) => mcp.handle(context)"
    tell("", { code: "answered_elsewhere", message: `${found}: ${change}` })
  })
}

/** The CORS headers of an answer, if a page sent the request. */
type Shared = Readonly<Record<string, string>> | undefined

function send(exchange: Exchange, answer: Answer, shared: Shared): void {
  exchange.send(shared === undefined ? answer : { ...answer, headers: { ...answer.headers, ...shared } })
}

function toFault(report: Report, cause: unknown): Answer {
  // Not a fault: the application is shutting down, or has as many principals as it allows.
  if (cause instanceof AdapterError && (cause.code === "closed" || cause.code === "too_many_principals")) {
    report({ code: "handler_failed", message: `a request was not served: ${cause.message}` })
    return tryLater(503, "Service Unavailable: try again later")
  }
  return tellFault(report, cause)
}

/** The open event streams of one endpoint. */
interface StreamCount {
  /** Counts one more stream; the returned function counts its end. */
  readonly opened: () => () => void
  /** {@link HttpSite.idle}. */
  idle(): Promise<void>
}

function createStreamCount({ ledger }: Host): StreamCount {
  const waiting = new Set<() => void>()
  let open = 0
  return {
    opened() {
      open += 1
      const closed = ledger.open("stream")
      return once(() => {
        open -= 1
        closed()
        if (open === 0) for (const resolve of [...waiting]) resolve()
      })
    },
    idle: () =>
      new Promise((resolve) => {
        if (open === 0) return resolve()
        waiting.add(resolve)
      }),
  }
}

/** The parts that all visitors share. */
interface Surroundings {
  readonly host: Host
  readonly options: SiteOptions
  readonly tell: ReportClient
  readonly pool: Pool
  readonly beats: Beats
  readonly opened: () => () => void
}

interface Known extends Pick<Visitor, "principal" | "client" | "expires" | "holds"> {
  /** The CORS headers of the answer. */
  readonly shared: Shared
}

function createVisitor(exchange: Exchange, known: Known, site: Surroundings): Visitor {
  const { host, options, tell, pool, beats, opened } = site
  const { client, principal, expires, holds, shared } = known
  let body = 0
  let stream: OpenStream | undefined
  const course = createCourse()
  const hold = pool.hold(client, {
    weigh: () => body + (stream?.unsent() ?? exchange.unread()),
    lose() {
      tell(client, { code: "held_limit", message: `a request of "${client}" was dropped: ${HELD}` })
      // Only one of the two still applies; the other does nothing.
      if (exchange.unread() > 0) exchange.drop()
      else send(exchange, tooMuch().answer, shared)
      course.end("lost")
    },
  })
  course.onEnd(hold.release)
  exchange.onOver((gone) => course.end(gone ? "gone" : "taken"))
  return {
    head: exchange.head,
    extra: exchange.extra,
    principal,
    client,
    expires,
    holds,
    async readBody() {
      const grow = (bytes: number): boolean => {
        body += bytes
        return hold.grow(bytes)
      }
      const read = await readBody(exchange, options, { ...hold, grow })
      if (!read.ok) tell(client, { code: "body_refused", message: `a body of "${client}" was refused: ${read.reason}` })
      return read
    },
    forgetBody() {
      if (!course.ended()) hold.grow(-body)
      body = 0
    },
    send(answer) {
      send(exchange, answer, shared)
      const unread = exchange.unread()
      if (unread > 0) hold.grow(unread)
      course.answered()
    },
    stream(headers = {}) {
      const dropped = (reason: string): void => tell(client, { code: "peer_dropped", message: `"${client}" ${reason}` })
      const needs = { host, beats, opened, grow: hold.grow, dropped }
      const made = createEventStream(exchange, { ...headers, ...shared }, needs)
      stream = made
      return {
        write: made.write,
        notify: made.notify,
        end() {
          made.end()
          course.answered()
        },
      }
    },
    onEnd: course.onEnd,
    onAnswered: course.onAnswered,
    ended: course.ended,
    beats,
  }
}

/** The phases of a request, answered and ended, with their listeners. */
interface Course extends Pick<Visitor, "onEnd" | "onAnswered" | "ended"> {
  /** Marks the answer as complete. */
  answered(): void
  /** Marks the request as ended; only the first call counts. */
  end(how: End): void
}

function createCourse(): Course {
  let ended: End | undefined
  const waiting: ((end: End) => void)[] = []
  const answering: (() => void)[] = []
  const answered = (): void => {
    for (const callback of answering.splice(0)) callback()
  }
  return {
    answered,
    end(how) {
      if (ended !== undefined) return
      ended = how
      answered()
      for (const callback of waiting) callback(how)
    },
    onEnd(callback) {
      if (ended === undefined) waiting.push(callback)
      else callback(ended)
    },
    onAnswered(callback) {
      if (ended === undefined) answering.push(callback)
      else callback()
    },
    ended: () => ended !== undefined,
  }
}

const HELD = 'too many bytes were in flight: see the options "maxHeldBytes" and "maxClientBytes"'
