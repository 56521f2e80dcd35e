import type { OptionRule } from "@x/base"
import type { RecordStore } from "@x/records"
import { type Cancel, type Host, once, startTimer } from "../../runtime/host.js"
import type { LegacySession } from "./legacy-session.js"
import { createShares } from "./shares.js"

/** Limits on sessions. */
export interface SessionLimits {
  /**
   * The most sessions. Beyond it, a session of the client with the most is dropped, a client being a principal or the address
   * of an anonymous caller: the least recently used, idle ones first. Default 1,000.
   */
  readonly maxSessions?: number
  /**
   * How long a session is kept after its last request was answered, in milliseconds. An open stream keeps it. Default 300,000.
   */
  readonly sessionIdleMs?: number
  /**
   * The most characters of sent events kept over all sessions, so that clients can resume broken streams. Beyond it, the client
   * with the largest share loses its oldest events. Default 10,000,000.
   */
  readonly maxSentSize?: number
  /**
   * Whether an unknown session, lost to a restart or idle for too long, is taken up under its old id, so that clients that
   * never initialize again can go on. It belongs to its caller alone, like any session. Its client is told that the lists have
   * changed; it can no longer be asked questions, and its state subscriptions are gone. Three sessions still get a 404: one
   * that its client ended in this process, one with an id that is not in our format, and one whose client names no supported
   * revision in `MCP-Protocol-Version`. Without `endedSessions`, a process does not know which sessions ended in another
   * process or before its own start: it takes those up as if lost. Default `false`: 404, after which clients should initialize
   * again.
   */
  readonly takeUpSessions?: boolean
  /**
   * The record store in which all processes mark the sessions that their clients ended, such as that of `@x/records-libsql`. Such
   * a session is not taken up for 30 days. If the store fails, no session is taken up, and a DELETE is answered with 503. The
   * server does not close it. Default: none.
   */
  readonly endedSessions?: RecordStore
}

/** The validation rules of {@link SessionLimits}. */
export const sessionRules: Record<keyof SessionLimits, OptionRule> = {
  maxSessions: { from: 1, whole: true },
  sessionIdleMs: { from: 1 },
  maxSentSize: { from: 0, whole: true },
  takeUpSessions: "flag",
  endedSessions: "object",
}

/** The sessions of one HTTP endpoint. */
export interface Sessions {
  /** Keeps a session until it ends, is idle for too long, or has to make room. */
  add(session: LegacySession): void
  /** Finds a session by id. */
  find(id: string): LegacySession | undefined
  /**
   * Marks a session as in use.
   *
   * @returns Ends the use; idempotent.
   */
  use(session: LegacySession): () => void
  /** Ends all sessions. */
  close(): void
}

/** Creates the sessions of one endpoint. */
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
      if (least !== undefined)
        drop(least, `there were more than ${maxSessions}; raise the option "maxSessions" to keep more`)
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

/** Decides which session to drop first. */
interface Ranks {
  /** Moves a session to the end, as the most recently used. */
  use(kept: Kept): void
  /** Removes a session. */
  remove(kept: Kept): void
  /** Returns the session to drop: the least recently used of the client that has the most, idle ones first. */
  least(): Kept | undefined
}

function createRanks(): Ranks {
  const shares = createShares()
  // In order of use, the least recent first.
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
      // If no client has more than one session, the choice is among all.
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
