import equal from "fast-deep-equal"
import { Observable, Subject } from "rxjs"
import type { AdapterEvent } from "../calls/adapter-event.js"
import type { Diagnostic, DiagnosticCode } from "../runtime/diagnostic.js"
import type { Cancel, Host } from "../runtime/host.js"

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

/** Keeps the health of one adapter. */
interface HealthKeeper {
  /** Takes an event into the counts; those of calls that begin, and of what the application changes, need not be told. */
  note(event: AdapterEvent): void
  /**
   * The health now, and again whenever it is another at the end of a task. Completes after `complete`, as do later
   * subscriptions, after one value. While nobody listens, nothing but counts is kept.
   */
  readonly observable: Observable<Health>
  /** Ends it. */
  complete(): void
}

/** What health is read from. */
interface HealthSources {
  /** What is held, and when a task has ended. */
  readonly host: Pick<Host, "clock" | "ledger">
  /** How many calls wait for a turn. */
  waiting(): number
}

/** A keeper to whom nothing has happened yet. */
export function createHealth(sources: HealthSources): HealthKeeper {
  const { ledger, clock } = sources.host
  const counts = createCounts()
  const subject = new Subject<Health>()
  let told: Health | undefined
  let settling: Cancel | undefined
  let completed = false

  const tell = (): void => {
    settling = undefined
    const health = toHealth(sources, counts)
    if (equal(health, told)) return
    told = health
    subject.next(health)
  }
  let unwatch: (() => void) | undefined
  const changed = (): void => {
    // Whatever else changes in this task is in the reading at its end.
    if (subject.observed) settling ??= clock.settle(tell)
  }
  const observable = new Observable<Health>((subscriber) => {
    if (completed) {
      subscriber.next(toHealth(sources, counts))
      return subscriber.complete()
    }
    subscriber.add(ledger.open("subscription"))
    told = toHealth(sources, counts)
    subscriber.next(told)
    subscriber.add(subject.subscribe(subscriber))
    unwatch ??= ledger.watch(changed)
    subscriber.add(() => {
      if (subject.observed) return
      unwatch?.()
      unwatch = undefined
      settling?.()
      settling = undefined
    })
  })
  return {
    note(event) {
      counts.note(event)
      changed()
    },
    observable,
    complete() {
      if (subject.observed) tell()
      completed = true
      subject.complete()
    },
  }
}

interface Counts {
  readonly diagnostics: Partial<Record<DiagnosticCode, number>>
  lastErrors: readonly HealthError[]
  late: number
  busy: number
  note(event: AdapterEvent): void
}

function createCounts(): Counts {
  const counts: Counts = {
    diagnostics: {},
    lastErrors: [],
    late: 0,
    busy: 0,
    note(event) {
      if (event.type === "call-late") counts.late += 1
      if (event.type === "call-settled" && !event.outcome.ok && event.outcome.code === "busy") counts.busy += 1
      if (event.type !== "diagnostic") return
      const { code } = event.diagnostic
      counts.diagnostics[code] = (counts.diagnostics[code] ?? 0) + 1
      counts.lastErrors = [...counts.lastErrors.slice(1 - KEPT), toHealthError(event.diagnostic)]
    },
  }
  return counts
}

function toHealthError({ code, message }: Diagnostic): HealthError {
  return { code, message: message.slice(0, 500), time: new Date().toISOString() }
}

function toHealth({ host, waiting }: HealthSources, { diagnostics, lastErrors, late, busy }: Counts): Health {
  const held = host.ledger.counts()
  const waits = waiting()
  return {
    running: held.call - waits,
    waiting: waits,
    stuck: held.stuck,
    late,
    busy,
    sessions: held.session,
    streams: held.stream,
    subscriptions: held.subscription,
    dropped: {
      peers: diagnostics.peer_dropped ?? 0,
      sessions: diagnostics.session_dropped ?? 0,
      results: diagnostics.result_too_large ?? 0,
    },
    diagnostics: { ...diagnostics },
    lastErrors,
  }
}

/** How many diagnostics are kept. */
const KEPT = 20
