import type { Abortable } from "@x/agentic-service/adapter"
import { backoff } from "@x/base"
import { BehaviorSubject, NEVER, Observable, retry, type Subscription } from "rxjs"
import type { UpstreamLimits, UpstreamStatus } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import type { Counted } from "./holdings.js"
import { reasonOf, remedyOf, type Session, waitsForSignIn } from "./session.js"

/** Keeps one server connected. */
export interface Keeper {
  /** The connection's status. */
  readonly status: BehaviorSubject<UpstreamStatus>
  /** Starts connecting, if not yet started. */
  start(): void
  /** Returns the current session. */
  current(): Session | undefined
  /**
   * Resolves with the session, once connected. Rejects with the reason after the time, or if the server is left down.
   *
   * @param once - Whether one failed attempt ends the wait. Default `false`.
   */
  session(waitMs: number, signal?: Abortable, once?: boolean): Promise<Session>
  /** Connects at once. */
  reconnect(): void
  /**
   * Connects at the end of the current task instead of waiting, for somebody who wants to call. At most once a second; never
   * restarts a process.
   */
  wake(): void
  /** Closes for good. Settles once the session is closed. */
  close(): Promise<void>
}

/** Options of {@link keepConnected}. */
export interface KeepOptions {
  /** Connects once. */
  open(signal: AbortSignal): Promise<Session>
  /** Whether the server is a process, which is left down when it crashes in a loop. */
  readonly child: boolean
  /** Whether to reconnect automatically. */
  readonly again: boolean
  /** Removes secrets from a text. */
  redact(text: string): string
  /** The limits of the server. */
  readonly limits: UpstreamLimits
  /** Counts what is open. */
  readonly holdings: Counted
  /** Receives each session before anybody else. */
  connected(session: Session): void
  /** Receives the message that the process crashes in a loop. */
  looped(message: string): void
}

/** A process that exits this often within this time is left down. */
const LOOP = { deaths: 5, withinMs: 60_000 }

const REMEDY = "run its command by hand to see why, fix it, then reconnect or reload"

/** Creates the keeper of one connection, not started yet. */
export function keepConnected(options: KeepOptions): Keeper {
  const { holdings } = options
  const status = new BehaviorSubject<UpstreamStatus>({ state: "idle" })
  let session: Session | undefined
  let running: Subscription | undefined
  let closed = false
  const patience = createPatience(options, status)
  const sessions = createSessions(options.open, {
    connecting: () => status.next({ state: "connecting" }),
    connected(made) {
      session = made
      patience.connected()
      options.connected(made)
      status.next(toConnected(made))
    },
    ended() {
      session = undefined
      patience.ended()
    },
  })

  // A session that has just failed counts as gone, even before its end is reported.
  const current = (): Session | undefined => (session?.isOver() ? undefined : session)
  const start = (): void => {
    if (closed || running !== undefined) return
    running = sessions.observable.pipe(retry({ delay: patience.next })).subscribe({ error: () => undefined })
  }

  // Waking a process would let it reach the crash limit too soon.
  const wake = options.child ? (): void => {} : createWake(patience)

  return {
    status,
    start,
    current,
    wake,
    session(waitMs, signal, once = false) {
      start()
      const now = current()
      if (now === undefined) wake()
      return now === undefined
        ? waitForSession(status, current, { waitMs, signal, once, holdings })
        : Promise.resolve(now)
    },
    reconnect() {
      patience.forget()
      running?.unsubscribe()
      running = undefined
      start()
    },
    async close() {
      if (!closed) {
        closed = true
        running?.unsubscribe()
        status.next({ state: "closed" })
        status.complete()
      }
      await sessions.closed()
    },
  }
}

/** Creates a function that ends the wait, at the end of the task and at most once per `WAKE_MS`. */
function createWake({ hurry }: Pick<Patience, "hurry">): () => void {
  let woken = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - woken < WAKE_MS) return
    woken = performance.now()
    queueMicrotask(hurry)
  }
}

/** Decides when, and whether, a lost server is reconnected. */
interface Patience {
  /** Emits when the next attempt is due; never if the server is left down. */
  next(cause: unknown): Observable<unknown>
  /** Notes that a session has begun. */
  connected(): void
  /** Notes that the session has ended. */
  ended(): void
  /** Resets the count of failures. */
  forget(): void
  /** Ends the wait for the next attempt, if any. */
  hurry(): void
}

function createPatience(options: KeepOptions, status: BehaviorSubject<UpstreamStatus>): Patience {
  const { limits, holdings } = options
  let since: number | undefined
  let failures = 0
  let deaths: number[] = []
  let goOn = (): void => {}
  const leaveDown = (reason: string, remedy: string, signIn = false): Observable<never> => {
    status.next({ state: "down", reason, remedy, ...(signIn && { signIn }) })
    return NEVER
  }
  return {
    next(cause) {
      failures += 1
      const now = Date.now()
      deaths = [...deaths.filter((at) => at > now - LOOP.withinMs), now]
      const reason = options.redact(reasonOf(cause))
      const remedy = remedyOf(cause)
      // The server would refuse again, and each attempt may open a page or count towards a lockout.
      if (remedy !== undefined) return leaveDown(reason, remedy, waitsForSignIn(cause))
      if (!options.again) return leaveDown(reason, "connect the client again and create a new service from it")
      if (options.child && deaths.length >= LOOP.deaths) {
        const looped = `its process ended ${deaths.length} times within a minute; last: ${reason}`
        options.looped(`${looped}: ${REMEDY}`)
        return leaveDown(looped, REMEDY)
      }
      const retryMs = backoff(failures, { firstMs: limits.retryMs, mostMs: limits.retryMaxMs })
      status.next({ state: "waiting", reason, retryMs })
      return new Observable((subscriber) => {
        goOn = () => subscriber.next(true)
        return holdings.after(retryMs, goOn)
      })
    },
    connected() {
      since = Date.now()
    },
    ended() {
      // A connection that lasted ends the row of failures.
      if (since !== undefined && Date.now() - since > LASTED_MS) failures = 0
      since = undefined
    },
    forget() {
      failures = 0
      deaths = []
    },
    hurry: () => goOn(),
  }
}

/** The least milliseconds between two waits that callers cut short. */
const WAKE_MS = 1_000

/** The milliseconds after which a connection counts as good. */
const LASTED_MS = 10_000

/** The listener of successive sessions. */
interface SessionEars {
  connecting(): void
  connected(session: Session): void
  ended(): void
}

/** Creates a series of sessions; none opens before the former has closed. */
function createSessions(open: KeepOptions["open"], ears: SessionEars) {
  let closing: Promise<void> = Promise.resolve()
  const observable = new Observable<never>((subscriber) => {
    const abort = new AbortController()
    ears.connecting()
    const opened = closing.then(() => open(abort.signal))
    const over = opened.then(async (session) => {
      if (abort.signal.aborted) return
      ears.connected(session)
      const reason = await session.lost
      if (!abort.signal.aborted) ears.ended()
      subscriber.error(reason)
    })
    over.catch((cause: unknown) => subscriber.error(cause))
    return () => {
      abort.abort()
      ears.ended()
      closing = opened.then(
        (session) => session.close(),
        () => undefined,
      )
    }
  })
  return { observable, closed: (): Promise<void> => closing }
}

function toConnected({ client, era }: Session): UpstreamStatus {
  const server = client.getServerVersion()
  return { state: "connected", era, ...(server && { server: { name: server.name, version: server.version } }) }
}

interface Waiting {
  readonly waitMs: number
  readonly signal: Abortable | undefined
  readonly once: boolean
  readonly holdings: Counted
}

function waitForSession(
  status: BehaviorSubject<UpstreamStatus>,
  current: () => Session | undefined,
  { waitMs, signal, once, holdings }: Waiting,
): Promise<Session> {
  return new Promise((resolve, reject) => {
    const fail = (): void =>
      settle(() => reject(new UpstreamError(describeStatus(status.value), { code: "unreachable" })))
    const cancel = holdings.after(waitMs, fail)
    const settle = (act: () => void): void => {
      cancel()
      signal?.removeEventListener("abort", fail)
      queueMicrotask(() => subscription.unsubscribe())
      act()
    }
    signal?.addEventListener("abort", fail)
    let tried = false
    const subscription = status.subscribe({
      next(now) {
        const session = current()
        if (now.state === "connected" && session !== undefined) settle(() => resolve(session))
        else if (now.state === "down" || now.state === "closed" || (once && tried && now.state === "waiting")) fail()
        tried ||= now.state === "connecting"
      },
      complete: fail,
    })
  })
}

/** Returns the reason why a server's members are unavailable, for a model. */
export function describeStatus(status: UpstreamStatus): string {
  switch (status.state) {
    case "idle":
    case "connecting":
      return "its server is still connecting"
    case "waiting":
      return `its server is not connected: ${status.reason}`
    case "down":
      return `its server is down: ${status.reason}; ${status.remedy}`
    case "closed":
      return "its connection was closed"
    case "connected":
      return "its server does not offer it now"
  }
}
