import type { OptionRule } from "@x/tool-schemas/json"
import { once } from "../../runtime/host.js"
import type { ReportClient } from "../server/client-report.js"
import type { ListenFilter } from "../server/listens.js"
import { type Answer, tryLater } from "./exchange.js"
import { createShares } from "./shares.js"

/** How many listen streams of 2026-07-28 may be open; a legacy client has its own for each session. */
export interface ListenLimits {
  /**
   * How many one client, which is a principal or the address of who has none, may have open; one more is a 429. Default 100.
   */
  readonly maxListens?: number
  /**
   * How many all clients may have open. One more ends the oldest of the client that has the most, with its last message; where
   * that is the one who asks, it is a 503 instead. Default 1,000.
   */
  readonly maxTotalListens?: number
}

/** What each of {@link ListenLimits} may be. */
export const listenRules: Record<keyof ListenLimits, OptionRule> = {
  maxListens: { from: 0, whole: true },
  maxTotalListens: { from: 0, whole: true },
}

/** Counts the listen streams of each client, and of all, and weighs what they want to hear of. */
export interface ListenLimit {
  /**
   * Takes one more, or gives the answer that refuses it.
   *
   * @param end - Ends it, where it has to go to make room.
   * @returns Gives it back; idempotent.
   */
  take(client: string, filter: ListenFilter, end: () => void): (() => void) | Answer
}

/** How many listen streams a client may have where nothing else is said. */
const MAX_LISTENS = 100

/** Nobody listens yet. */
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

/** About how many bytes the listen streams of one client may take: 4 MB. */
const MAX_WEIGHT = 4 * 2 ** 20

const TOO_HEAVY = "listen streams of about 4 MB open, with what they want to hear of, and another was wanted"

/** About how many bytes one takes. */
function weigh({ uris }: ListenFilter): number {
  let weight = 1_000
  for (const uri of uris) weight += uri.length + 100
  return weight
}

/** What the operator reads of a limit that is reached. */
function tooMany(streams: number, option: keyof ListenLimits): string {
  return `${streams} listen streams open, and another was wanted: raise the option "${option}" if there may be more`
}
