import { TokenBucket } from "limiter"
import { LRUCache } from "lru-cache"
import type { ReportClient } from "../server/client-report.js"
import { refuse } from "./refuse.js"

/** How often one client may send a request. */
export interface RequestRate {
  /** How many at once, after a pause. Default 2,000. */
  readonly burst?: number
  /** How many a second, for as long as it likes. Default 1,000. */
  readonly perSecond?: number
}

/** Counts one request of a client: the answer that refuses it, or `undefined`. */
export type CountRequest = (client: string) => Response | undefined

/** A token bucket for each client. What is over the rate is a 429 that says when to come back. */
export function createRequestRate({ burst = 2_000, perSecond = 1_000 }: RequestRate, tell: ReportClient): CountRequest {
  const clients = new LRUCache<string, TokenBucket>({ max: MAX_CLIENTS })
  return (name) => {
    const bucket = clients.get(name) ?? createBucket(burst, perSecond)
    clients.set(name, bucket)
    if (bucket.tryRemoveTokens(1)) return undefined
    tell(name, { code: "rate_limit", message: `the client "${name}" sent more than ${perSecond} requests a second` })
    return tooMany(bucket.getWaitTime(1))
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

function tooMany(milliseconds: number): Response {
  const seconds = Math.ceil(milliseconds / 1_000)
  const response = refuse(429, -32000, `Too Many Requests: try again in ${seconds} s`)
  response.headers.set("retry-after", String(seconds))
  return response
}
