import equal from "fast-deep-equal"
import { Observable, Subject } from "rxjs"
import type { AdapterEvent } from "../calls/adapter-event.js"
import type { Diagnostic, DiagnosticCode } from "../runtime/diagnostic.js"
import type { Cancel, Host } from "../runtime/host.js"

/** The state of an adapter and its servers, as plain JSON. Counters count from the start; all other values are current. */
export interface Health {
  /** Calls begun and unanswered, except those queued for a turn. */
  readonly running: number
  /** Calls that were answered with a task or a handle, and whose actions still run. */
  readonly tasks: number
  /** Calls queued for a turn. */
  readonly waiting: number
  /** Actions that were told to stop but still run, although their calls are answered. */
  readonly stuck: number
  /** How many stuck actions have ended late; their results were discarded. */
  readonly late: number
  /** How many calls were refused with `busy` because too many were running or queued. */
  readonly busy: number
  /** Open sessions: legacy HTTP sessions, and servers of SDK v1. */
  readonly sessions: number
  /** Open streams and pipes. */
  readonly streams: number
  /** Open subscriptions: to services, to states for clients, and to this observable. */
  readonly subscriptions: number
  /** Counts of dropped clients, sessions and results. */
  readonly dropped: DroppedCounts
  /** How often each diagnostic was reported; diagnostics that never occurred are absent. */
  readonly diagnostics: Readonly<Partial<Record<DiagnosticCode, number>>>
  /** The latest diagnostics, at most 20, the newest last. */
  readonly lastErrors: readonly HealthError[]
}

/** Counts of dropped clients, sessions and results. */
export interface DroppedCounts {
  /** Clients disconnected because they did not read. */
  readonly peers: number
  /** Sessions dropped because they were idle, or to make room. */
  readonly sessions: number
  /** Results too large to send. */
  readonly results: number
}

/** A diagnostic without its cause, which may contain anything. */
export interface HealthError {
  /** The kind of diagnostic. */
  readonly code: DiagnosticCode
  /** The message for operators; at most 500 characters. */
  readonly message: string
  /** The report's time, in ISO 8601. */
  readonly time: string
}

/** Tracks the health of one adapter. */
interface HealthKeeper {
  /** Counts an event. Calls that begin and changes of the application may be left out. */
  note(event: AdapterEvent): void
  /**
   * Emits the current health on subscription, and again at the end of each task that changed it. Completes after `complete`;
   * later subscriptions get one value, then complete. Without subscribers, only counters are kept.
   */
  readonly observable: Observable<Health>
  /** Completes the observable. */
  complete(): void
}

/** The sources of health. */
interface HealthSources {
  /** The ledger of open resources, and the clock. */
  readonly host: Pick<Host, "clock" | "ledger">
  /** Returns how many calls are queued for a turn. */
  waiting(): number
}

/** Creates the tracker of one adapter's health. */
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
    // One emission at the end of the task covers all its changes.
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
    tasks: held.task,
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

/** The number of diagnostics kept. */
const KEPT = 20
