import { LRUCache } from "lru-cache"
import type { Diagnostic, Report } from "../../runtime/diagnostic.js"
import type { Clock } from "../../runtime/host.js"

/** Reports a client's mistake; never throws. */
export type ReportClient = (client: string, diagnostic: Diagnostic) => void

/** Receives reports and provides the time. */
export interface ReportHost {
  /** Takes diagnostics. */
  readonly report: Report
  /** The clock. */
  readonly clock: Pick<Clock, "now">
}

/**
 * Creates a report that repeats each kind for each client at most once a minute, so that a flood of requests does not flood the
 * log.
 */
export function createClientReport({ report, clock }: ReportHost): ReportClient {
  const told = new LRUCache<string, number>({ max: MAX_TOLD })
  return (client, diagnostic) => {
    const key = JSON.stringify([diagnostic.code, client])
    const last = told.get(key)
    if (last !== undefined && clock.now() - last < MINUTE) return
    told.set(key, clock.now())
    report(diagnostic)
  }
}

const MINUTE = 60_000

/** The number of clients and kinds remembered. A forgotten one is reported again. */
const MAX_TOLD = 10_000
