import type { OptionRule } from "@x/tool-schemas/json"
import { type Cancel, type Host, once, startTimer } from "../../runtime/host.js"
import type { LegacySession } from "./legacy-session.js"
import { createShares } from "./shares.js"

/** How many sessions are kept, and for how long. */
export interface SessionLimits {
  /**
   * How many at most; then one goes of the client that has the most, which is a principal or the address of who has none: the
   * least recently used, idle ones first. Default 1,000.
   */
  readonly maxSessions?: number
  /** How long one is kept after its last request has been answered, in milliseconds. An open stream keeps it. Default 300,000. */
  readonly sessionIdleMs?: number
  /**
   * How much of what was sent is kept for clients whose connection breaks and who come back for the rest, in characters
   * over all sessions; then the client of whom most is kept loses its oldest. Default 10,000,000.
   */
  readonly maxSentSize?: number
  /**
   * Whether a session that is not known, because the server was started again or the session was idle for too long, is taken
   * up anew under its id, so that clients that never initialize again go on. It is its caller's alone, as any session; its
   * client is told that the lists have changed, and can no longer be asked anything, nor does it hear of states it had
   * subscribed to. Refused, as without it, is a session that its client ended in this process, an id that is none of ours,
   * and a client that does not name its revision (`MCP-Protocol-Version`). No process knows what was ended in another, or before
   * its own start: such a session is taken up as if it had been lost. Default `false`: 404, upon which clients should
   * initialize again.
   */
  readonly takeUpSessions?: boolean
}

/** What each of {@link SessionLimits} may be. */
export const sessionRules: Record<keyof SessionLimits, OptionRule> = {
  maxSessions: { from: 1, whole: true },
  sessionIdleMs: { from: 1 },
  maxSentSize: { from: 0, whole: true },
  takeUpSessions: "flag",
}

/** The sessions of one HTTP endpoint. */
export interface Sessions {
  /** Keeps a session until it ends, is idle for too long, or has to make room. */
  add(session: LegacySession): void
  /** Finds a session by id. */
  find(id: string): LegacySession | undefined
  /**
   * Marks a session as used.
   *
   * @returns Marks that use as over; idempotent.
   */
  use(session: LegacySession): () => void
  /** Ends them all. */
  close(): void
}

/** No sessions yet. */
export function createSessions(host: Host, limits: SessionLimits): Sessions {
  const { maxSessions = 1_000, sessionIdleMs = 300_000 } = limits
  const kept = new Map<string, Kept>()
  const ranks = createRanks()
  let open = true
  const forget = (gone: Kept): void => {
    gone.stopWaiting()
    if (kept.delete(gone.session.id)) ranks.remove(gone)
  }
  const drop = (dropped: Kept, reason: string): void => {
    forget(dropped)
    host.report({ code: "session_dropped", message: `a session was dropped: ${reason}` })
    dropped.session.close()
  }
  return {
    add(session) {
      if (!open) return session.close()
      const least = kept.size < maxSessions ? undefined : ranks.least()
      if (least !== undefined) drop(least, `there are more than ${maxSessions}; raise the option "maxSessions"`)
      const added: Kept = { session, uses: 0, stopWaiting: () => {} }
      kept.set(session.id, added)
      ranks.use(added)
      session.onClosed(() => forget(added))
    },
    find: (id) => kept.get(id)?.session,
    use(session) {
      const used = kept.get(session.id)
      if (used === undefined) return () => {}
      used.stopWaiting()
      used.uses += 1
      ranks.use(used)
      return once(() => {
        used.uses -= 1
        if (used.uses > 0 || kept.get(session.id) !== used) return
        used.stopWaiting = startTimer(host, sessionIdleMs, () => drop(used, `it was idle for ${sessionIdleMs} ms`))
      })
    },
    close() {
      open = false
      for (const { session } of [...kept.values()]) session.close()
    },
  }
}

interface Kept {
  readonly session: LegacySession
  uses: number
  stopWaiting: Cancel
}

/** Who goes first where there are too many. */
interface Ranks {
  /** Puts one behind all others. */
  use(kept: Kept): void
  /** Takes one out. */
  remove(kept: Kept): void
  /** The one that has to go: of the client that has the most, the least recently used, idle ones first. */
  least(): Kept | undefined
}

function createRanks(): Ranks {
  const shares = createShares()
  // In the order of use, the least recent first.
  const clients = new Map<string, Set<Kept>>()
  const all = new Set<Kept>()
  return {
    use(kept) {
      const { client } = kept.session
      const own = clients.get(client) ?? new Set()
      clients.set(client, own)
      if (!own.delete(kept)) shares.add(client, 1)
      own.add(kept)
      all.delete(kept)
      all.add(kept)
    },
    remove(kept) {
      const { client } = kept.session
      const own = clients.get(client)
      all.delete(kept)
      if (own?.delete(kept) !== true) return
      shares.add(client, -1)
      if (own.size === 0) clients.delete(client)
    },
    least() {
      const largest = shares.largest() ?? ""
      // Where nobody has more than one, nobody has too many.
      return findLeast(shares.of(largest) > 1 ? (clients.get(largest) ?? []) : all)
    },
  }
}

function findLeast(inOrder: Iterable<Kept>): Kept | undefined {
  let first: Kept | undefined
  for (const kept of inOrder) {
    if (kept.uses === 0) return kept
    first ??= kept
  }
  return first
}
