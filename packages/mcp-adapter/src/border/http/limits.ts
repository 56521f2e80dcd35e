import { TokenBucket } from "limiter"
import { LRUCache } from "lru-cache"
import { once } from "../../runtime/once.js"
import type { ReportClient } from "../server/client-report.js"
import { refuse } from "./http-exchange.js"

/** How often one client may send a request. */
export interface RequestRate {
  /** How many at once, after a pause. Default 2,000. */
  readonly burst?: number
  /** How many a second, for as long as it likes. Default 1,000. */
  readonly perSecond?: number
}

/** Counts one request of a client: the answer that refuses it, or `undefined`. */
type CountRequest = (client: string) => Response | undefined

/** A token bucket for each client. What is over the rate is a 429 that says when to come back. */
export function createRequestRate({ burst = 2_000, perSecond = 1_000 }: RequestRate, tell: ReportClient): CountRequest {
  const clients = new LRUCache<string, TokenBucket>({ max: MAX_CLIENTS })
  return (name) => {
    const bucket = clients.get(name) ?? createBucket(burst, perSecond)
    clients.set(name, bucket)
    if (bucket.tryRemoveTokens(1)) return undefined
    tell(name, { code: "rate_limit", message: `the client "${name}" sent more than ${perSecond} requests a second` })
    return tooOften(bucket.getWaitTime(1))
  }
}

/** One who has been silent for longer than so many others were not starts with a full bucket again. */
const MAX_CLIENTS = 10_000

function createBucket(burst: number, perSecond: number): TokenBucket {
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perSecond, interval: "second" })
  // The library's buckets begin empty.
  bucket.content = burst
  return bucket
}

function tooOften(milliseconds: number): Response {
  const seconds = Math.ceil(milliseconds / 1_000)
  const response = refuse(429, -32000, `Too Many Requests: try again in ${seconds} s`)
  response.headers.set("retry-after", String(seconds))
  return response
}

/** How many listen streams of 2026-07-28 may be open; a legacy client has one for each session. */
export interface ListenLimits {
  /**
   * How many one client, which is a principal or the address of who has none, may have open; one more is a 429. Default 100.
   */
  readonly maxListens?: number
  /** How many all clients may have open; one more is a 503. Default 1,000. */
  readonly maxTotalListens?: number
}

/** Counts the listen streams of each client, and of all. */
interface ListenLimit {
  /**
   * Takes one more, or gives the answer that refuses it.
   *
   * @returns Gives it back; idempotent.
   */
  take(client: string): (() => void) | Response
}

/** How many listen streams a client may have where nothing else is said. */
export const MAX_LISTENS = 100

/** Nobody listens yet. */
export function createListenLimit(limits: ListenLimits, tell: ReportClient): ListenLimit {
  const { maxListens = MAX_LISTENS, maxTotalListens = 1_000 } = limits
  const clients = new Map<string, number>()
  let total = 0
  return {
    take(name) {
      const streams = clients.get(name) ?? 0
      if (streams >= maxListens) {
        tell(name, { code: "listen_limit", message: `the client "${name}" has ${tooMany(streams, "maxListens")}` })
        return full(429, "Too Many Requests: close a listen stream before you open another")
      }
      if (total >= maxTotalListens) {
        tell("", { code: "listen_limit", message: `all clients have ${tooMany(total, "maxTotalListens")}` })
        return full(503, "Service Unavailable: too many listen streams are open, try again later")
      }
      clients.set(name, streams + 1)
      total += 1
      return once(() => {
        const left = (clients.get(name) ?? 0) - 1
        if (left > 0) clients.set(name, left)
        else clients.delete(name)
        total -= 1
      })
    },
  }
}

/** What the operator reads of a limit that is reached. */
export function tooMany(streams: number, option: keyof ListenLimits): string {
  return `${streams} listen streams open, and another was wanted: raise the option "${option}" if there may be more`
}

function full(status: number, message: string): Response {
  const response = refuse(status, -32000, message)
  response.headers.set("retry-after", "1")
  return response
}
