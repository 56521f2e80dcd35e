import { TokenBucket } from "limiter"
import type { Report } from "../runtime/diagnostic.js"
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

/** A token bucket for each client. What is over the rate is a 429 that says when to come back; each is reported. */
export function createRequestRate({ burst = 2_000, perSecond = 1_000 }: RequestRate, report: Report): CountRequest {
  // In the order of use, the least recent first.
  const buckets = new Map<string, TokenBucket>()
  return (client) => {
    const bucket = buckets.get(client) ?? createBucket(burst, perSecond)
    buckets.delete(client)
    buckets.set(client, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > MAX_CLIENTS && oldest !== undefined) buckets.delete(oldest)
    if (bucket.tryRemoveTokens(1)) return undefined
    report({ code: "rate_limit", message: `the client "${client}" sent more than ${perSecond} requests a second` })
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
