import type { OptionRule } from "@x/base"
import { once } from "../../runtime/host.js"
import type { ReportClient } from "../server/client-report.js"
import type { ListenFilter } from "../server/listen-filter.js"
import { type Answer, tryLater } from "./exchange.js"
import { createShares } from "./shares.js"

/** Limits on open listen streams of 2026-07-28; a legacy client has its own for each session. */
export interface ListenLimits {
  /** The most streams of one client, a principal or the address of an anonymous caller; one more gets a 429. Default 100. */
  readonly maxListens?: number
  /**
   * The most streams of all clients. One more ends the oldest stream of the client that has the most, after its final message;
   * if the asking client has the most, it gets a 503 instead. Default 1,000.
   */
  readonly maxTotalListens?: number
}

/** The validation rules of {@link ListenLimits}. */
export const listenRules: Record<keyof ListenLimits, OptionRule> = {
  maxListens: { from: 0, whole: true },
  maxTotalListens: { from: 0, whole: true },
}

/** Counts listen streams by client and in total, and estimates their size. */
export interface ListenLimit {
  /**
   * Counts one more stream, or returns the answer that refuses it.
   *
   * @param end - Ends the stream if it has to make room.
   * @returns Uncounts the stream; idempotent.
   */
  take(client: string, filter: ListenFilter, end: () => void): (() => void) | Answer
}

/** The default limit for one client. */
const MAX_LISTENS = 100

/** Creates the limit. */
export function createListenLimit(limits: ListenLimits, tell: ReportClient): ListenLimit {
  const { maxListens = MAX_LISTENS, maxTotalListens = 1_000 } = limits
  const streams = createShares()
  const weights = createShares()
  const open = new Map<string, Set<() => void>>()
  const makeRoom = (client: string): boolean => {
    const largest = streams.largest()
    if (largest === undefined || streams.of(largest) <= streams.of(client) + 1) return false
    const [oldest] = open.get(largest) ?? []
    oldest?.()
    return oldest !== undefined
  }
  const refusal = (client: string, weight: number): Answer | undefined => {
    const tooHeavy = weights.of(client) + weight > MAX_WEIGHT
    if (tooHeavy || streams.of(client) >= maxListens) {
      const found = tooHeavy ? TOO_HEAVY : tooMany(streams.of(client), "maxListens")
      tell(client, { code: "listen_limit", message: `the client "${client}" has ${found}` })
      return tryLater(429, "Too Many Requests: close a listen stream before you open another, or name fewer resources")
    }
    if (streams.total() < maxTotalListens || makeRoom(client)) return undefined
    tell("", { code: "listen_limit", message: `all clients have ${tooMany(streams.total(), "maxTotalListens")}` })
    return tryLater(503, "Service Unavailable: too many listen streams are open, try again later")
  }
  return {
    take(client, filter, end) {
      const weight = weigh(filter)
      const refused = refusal(client, weight)
      if (refused !== undefined) return refused
      const own = open.get(client) ?? new Set()
      open.set(client, own)
      const lose = (): void => {
        release()
        end()
      }
      const release = once(() => {
        streams.add(client, -1)
        weights.add(client, -weight)
        own.delete(lose)
        if (own.size === 0) open.delete(client)
      })
      own.add(lose)
      streams.add(client, 1)
      weights.add(client, weight)
      return release
    },
  }
}

/** The approximate memory limit on one client's listen streams: 4 MB. */
const MAX_WEIGHT = 4 * 2 ** 20

const TOO_HEAVY =
  "listen streams open with about 4 MB of resource names, the limit for one client, and asked for another"

/** Estimates the bytes that one stream takes. */
function weigh({ uris, tasks }: ListenFilter): number {
  let weight = 1_000
  for (const uri of [...uris, ...tasks]) weight += uri.length + 100
  return weight
}

/** Describes a reached limit to the operator. */
function tooMany(streams: number, option: keyof ListenLimits): string {
  return `${streams} listen streams open and asked for another: raise the option "${option}" to allow more`
}
