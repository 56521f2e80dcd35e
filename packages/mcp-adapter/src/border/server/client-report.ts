import { LRUCache } from "lru-cache"
import type { Diagnostic, Report } from "../../runtime/diagnostic.js"
import type { Clock } from "../../runtime/host.js"

/** Takes what a client did wrong; never throws. */
export type ReportClient = (client: string, diagnostic: Diagnostic) => void

/** Who is told, and who has the time. */
export interface ReportHost {
  /** Takes the diagnostics that are told. */
  readonly report: Report
  /** Whose minute it is. */
  readonly clock: Pick<Clock, "now">
}

/** Tells each kind of each client once a minute at most, so that a flood of requests is no flood of log lines. */
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

/** One who is forgotten because so many others came is told of again. */
const MAX_TOLD = 10_000
