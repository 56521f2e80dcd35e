import type { Endpoint } from "../../endpoint.js"
import type { Cancel } from "../../runtime/clock.js"
import { once } from "../server/once.js"
import { timerIn } from "../server/timer-in.js"
import type { Session } from "./open-session.js"

/** How many sessions are kept, and for how long. */
export interface SessionLimits {
  /** How many at most; then the one least recently used goes, idle ones first. Default 1,000. */
  readonly maxSessions?: number
  /** How long one is kept after its last request has been answered, in milliseconds. An open stream keeps it. Default 300,000. */
  readonly sessionIdleMs?: number
  /**
   * How much of what was sent is kept for clients whose connection breaks and who come back for the rest, in characters
   * over all sessions; the oldest goes first. Default 10,000,000.
   */
  readonly maxSentSize?: number
}

/** The sessions of one HTTP endpoint; the SDK has no store of its own. */
export interface Sessions {
  /** Keeps a session until it ends, is idle for too long, or has to make room. */
  add(session: Session): void
  /** Finds a session by id. */
  find(id: string): Session | undefined
  /**
   * Marks a session as used.
   *
   * @returns Marks that use as over; idempotent.
   */
  use(session: Session): () => void
  /** Ends them all. */
  close(): Promise<void>
}

/** No sessions yet. */
export function createSessions(endpoint: Endpoint, limits: SessionLimits): Sessions {
  const { maxSessions = 1_000, sessionIdleMs = 300_000 } = limits
  // In the order of use, the least recent first.
  const kept = new Map<string, Kept>()
  let open = true
  const drop = ({ session, stopWaiting }: Kept, reason: string): void => {
    stopWaiting()
    kept.delete(session.id)
    endpoint.report({ code: "session_dropped", message: `a session was dropped: ${reason}` })
    void session.close()
  }
  const makeRoom = (): void => {
    if (kept.size < maxSessions) return
    const all = [...kept.values()]
    const least = all.find(({ uses }) => uses === 0) ?? all[0]
    if (least !== undefined) drop(least, `there are more than ${maxSessions}; raise the option "maxSessions"`)
  }
  return {
    add(session) {
      if (!open) return void session.close()
      makeRoom()
      const added: Kept = { session, uses: 0, stopWaiting: () => {} }
      kept.set(session.id, added)
      void session.closed.then(() => {
        added.stopWaiting()
        kept.delete(session.id)
      })
    },
    find: (id) => kept.get(id)?.session,
    use(session) {
      const used = kept.get(session.id)
      if (used === undefined) return () => {}
      used.stopWaiting()
      used.uses += 1
      kept.delete(session.id)
      kept.set(session.id, used)
      return once(() => {
        used.uses -= 1
        if (used.uses > 0 || kept.get(session.id) !== used) return
        used.stopWaiting = timerIn(endpoint, sessionIdleMs, () => drop(used, `it was idle for ${sessionIdleMs} ms`))
      })
    },
    async close() {
      open = false
      await Promise.all([...kept.values()].map(({ session }) => session.close()))
    },
  }
}

interface Kept {
  readonly session: Session
  uses: number
  stopWaiting: Cancel
}
