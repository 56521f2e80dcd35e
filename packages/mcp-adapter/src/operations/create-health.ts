import equal from "fast-deep-equal"
import { Observable, Subject } from "rxjs"
import type { AdapterEvent } from "../calls/adapter-event.js"
import type { Cancel, Clock } from "../runtime/clock.js"
import type { Diagnostic, DiagnosticCode } from "../runtime/diagnostic.js"
import type { Ledger } from "../runtime/ledger.js"
import type { Health, HealthError } from "./health.js"

/** Keeps the health of one adapter. */
export interface HealthKeeper {
  /** Takes an event into the counts. */
  note(event: AdapterEvent): void
  /** Told when the ledger changes. */
  changed(): void
  /**
   * The health now, and again whenever it is another at the end of a task. Completes after `complete`, as do later
   * subscriptions, after one value. While nobody listens, nothing but counts is kept.
   */
  readonly observable: Observable<Health>
  /** Ends it. */
  complete(): void
}

/** What health is read from. */
export interface HealthSources {
  /** What is held. */
  readonly ledger: Ledger
  /** When a task has ended. */
  readonly clock: Clock
  /** How many calls wait for a turn. */
  waiting(): number
}

/** A keeper to whom nothing has happened yet. */
export function createHealth(sources: HealthSources): HealthKeeper {
  const { ledger, clock } = sources
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
    subscriber.add(() => {
      if (subject.observed) return
      settling?.()
      settling = undefined
    })
  })
  return {
    note(event) {
      counts.note(event)
      changed()
    },
    changed,
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

function toHealth({ ledger, waiting }: HealthSources, { diagnostics, lastErrors, late, busy }: Counts): Health {
  const held = ledger.counts()
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
