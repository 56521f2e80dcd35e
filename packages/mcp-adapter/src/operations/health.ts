import type { DiagnosticCode } from "../runtime/diagnostic.js"

/** How an adapter and its servers are; plain JSON. What is counted is counted since the start, everything else is now. */
export interface Health {
  /** Calls begun and not answered, but for those that wait for a turn. */
  readonly running: number
  /** Calls that wait for a turn. */
  readonly waiting: number
  /** Actions that were told to stop and go on, though their calls are answered. */
  readonly stuck: number
  /** How many stuck actions have ended after all; what came of them was dropped. */
  readonly late: number
  /** How many calls were refused because too many ran or waited: the failure `busy`. */
  readonly busy: number
  /** Sessions open: those of the older revisions over HTTP, and servers of SDK v1. */
  readonly sessions: number
  /** Streams and pipes open. */
  readonly streams: number
  /** Subscriptions held: to services, to states for clients, and to this. */
  readonly subscriptions: number
  /** What was given up. */
  readonly dropped: DroppedCounts
  /** How often each diagnostic was told; those never told are left out. */
  readonly diagnostics: Readonly<Partial<Record<DiagnosticCode, number>>>
  /** The newest diagnostics, at most 20, the newest last. */
  readonly lastErrors: readonly HealthError[]
}

/** How much of what was given up. */
export interface DroppedCounts {
  /** Clients that left too much unread. */
  readonly peers: number
  /** Sessions that were idle, or had to make room. */
  readonly sessions: number
  /** Results that were too large to be sent. */
  readonly results: number
}

/** A diagnostic as health keeps it: without its cause, which may hold anything. */
export interface HealthError {
  /** What kind of thing it is. */
  readonly code: DiagnosticCode
  /** What was found, for operators; at most 500 characters. */
  readonly message: string
  /** When it was told, in ISO 8601. */
  readonly time: string
}
