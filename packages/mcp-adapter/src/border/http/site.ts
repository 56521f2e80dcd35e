import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
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

/** Who may reach an HTTP endpoint, how often, and with how much. */
export interface SiteOptions extends GuardOptions, AdmitOptions, BodyLimits {
  /**
   * The most bytes that all requests may hold at once: bodies until they are answered, and answers that wait to be read. Beyond
   * it, whoever holds the most loses the heaviest of it: a 429, or the connection. Default 128 MiB.
   */
  readonly maxHeldBytes?: number
  /** How much of it one client may hold, which is a principal or the address of who has none. Default 32 MiB. */
  readonly maxClientBytes?: number
}

/** What each of {@link SiteOptions} may be. */
export const siteRules: Record<keyof SiteOptions, OptionRule> = {
  ...guardRules,
  ...admitRules,
  ...bodyRules,
  maxHeldBytes: { from: 1, whole: true },
  maxClientBytes: { from: 1, whole: true },
}

/** How a request ended: the peer has its answer, it left before, or it had to go because there was too much. */
export type End = "taken" | "gone" | "lost"

/** A request that was let in, and its way back. */
export interface Visitor extends Pick<Admission, "expires" | "holds"> {
  /** The request; its body is not read yet. */
  readonly head: RequestHead
  /** What else is known about it. */
  readonly extra: RequestExtra
  /** Who sent it; `undefined` is anonymous. */
  readonly principal: Principal | undefined
  /** What limits count by: the principal, else the address. */
  readonly client: string
  /** Reads and parses the JSON body within its limits, or gives the answer that refuses it. To be called once. */
  readBody(): Promise<ReadBody>
  /** Lets go of the body: what is kept of it weighs nothing any more. */
  forgetBody(): void
  /** Answers with a whole. Nothing after the first answer, or once it has ended. */
  send(answer: Answer): void
  /** Answers with an event stream, which is counted in the ledger; a peer that reads none of it for a time is dropped. */
  stream(headers?: Readonly<Record<string, string>>): EventStream
  /** Runs `callback` once, when the request has ended; at once where it has. */
  onEnd(callback: (end: End) => void): void
  /** Runs `callback` once, when the answer is complete, whether the peer has taken it or not; or when the request has ended. */
  onAnswered(callback: () => void): void
  /** Whether it has ended. */
  ended(): boolean
  /** What waits here is told of time by it. */
  readonly beats: Beats
}

/** An HTTP endpoint, whatever host its requests come from. */
export interface HttpSite {
  /** Answers one request; resolves when it is answered. Never rejects. */
  answer(exchange: Exchange): Promise<void>
  /** Resolves once no event stream is open. */
  idle(): Promise<void>
  /** How many bytes all requests hold now: see {@link SiteOptions.maxHeldBytes}. */
  held(): number
}

/**
 * What every request to an HTTP endpoint passes, before and after it is served: refuses by `Host`, `Origin`, credentials and
 * rate, in this order and before a byte of the body is read, answers a browser's preflight, and lets `serve` answer everybody
 * else. A throw of it is reported and answered with 500, or 503 where all is closing.
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
      if (isWellKnown(head))
        return exchange.send(guard.refusesHost(head) ?? readDocument(head, options.authenticate, host.report))
      const refusal = guard.refuses(head)
      if (refusal !== undefined) return exchange.send(refusal)
      const shared = guard.shareWith(head)
      if (head.method === "OPTIONS") return send(exchange, guard.preflight(head), shared)
      await pass(exchange, shared).catch((cause: unknown) => send(exchange, toFault(host.report, cause), shared))
    },
    idle: streams.idle,
    held: pool.total,
  }
}

/** What lets a page read an answer, where it is a page's request. */
type Shared = Readonly<Record<string, string>> | undefined

function send(exchange: Exchange, answer: Answer, shared: Shared): void {
  exchange.send(shared === undefined ? answer : { ...answer, headers: { ...answer.headers, ...shared } })
}

function toFault(report: Report, cause: unknown): Answer {
  // Nothing is broken: the application is closing, or has all the callers it can have.
  if (cause instanceof AdapterError && (cause.code === "closed" || cause.code === "too_many_principals")) {
    report({ code: "handler_failed", message: `a request was not served: ${cause.message}` })
    return tryLater(503, "Service Unavailable: try again later")
  }
  return tellFault(report, cause)
}

/** The event streams of one endpoint. */
interface StreamCount {
  /** Notes one more; the returned function notes its end. */
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

/** What visitors share. */
interface Surroundings {
  readonly host: Host
  readonly options: SiteOptions
  readonly tell: ReportClient
  readonly pool: Pool
  readonly beats: Beats
  readonly opened: () => () => void
}

interface Known extends Pick<Visitor, "principal" | "client" | "expires" | "holds"> {
  /** What lets a page read the answer. */
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
      tell(client, { code: "held_limit", message: `"${client}" lost a request: ${HELD}` })
      // Whichever of the two is too late does nothing.
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

/** The course of a request: answered, then ended, and who wants to know. */
interface Course extends Pick<Visitor, "onEnd" | "onAnswered" | "ended"> {
  /** Notes that the answer is complete. */
  answered(): void
  /** Notes that it has ended; only the first counts. */
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

const HELD = 'there was more on its way than may be at once: see the options "maxHeldBytes" and "maxClientBytes"'
