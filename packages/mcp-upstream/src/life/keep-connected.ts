import type { Abortable } from "@x/agentic-service/adapter"
import { BehaviorSubject, NEVER, Observable, retry, type Subscription } from "rxjs"
import type { UpstreamLimits, UpstreamStatus } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import type { Counted } from "./holdings.js"
import { reasonOf, remedyOf, type Session } from "./session.js"

/** Keeps one server connected. */
export interface Keeper {
  /** Where it stands. */
  readonly status: BehaviorSubject<UpstreamStatus>
  /** Begins, where it has not. */
  start(): void
  /** The session there is now. */
  current(): Session | undefined
  /**
   * The session, once there is one; rejects with the reason when there is none within the time, or will be none.
   *
   * @param once - Whether one failed attempt ends the wait. Default `false`.
   */
  session(waitMs: number, signal?: Abortable, once?: boolean): Promise<Session>
  /** Tries at once. */
  reconnect(): void
  /** Tries at the end of the task instead of waiting, because somebody wants to call; at most once a second, and no process. */
  wake(): void
  /** Ends it for good; settles once the session is gone. */
  close(): Promise<void>
}

/** How it is kept. */
export interface KeepOptions {
  /** Connects once. */
  open(signal: AbortSignal): Promise<Session>
  /** Whether it is a process that is left down when it crashes in a loop. */
  readonly child: boolean
  /** Whether it is connected again by itself. */
  readonly again: boolean
  /** Takes secrets out. */
  redact(text: string): string
  /** What the server is held to. */
  readonly limits: UpstreamLimits
  /** Counts what is open. */
  readonly holdings: Counted
  /** Told of a session, before anybody else gets it. */
  connected(session: Session): void
  /** Told that its process crashes in a loop. */
  looped(message: string): void
}

/** A process that ends this often within this time is left down. */
const LOOP = { deaths: 5, withinMs: 60_000 }

const REMEDY = "run its command by hand to see why, mend it, then reconnect or reload"

/** Nothing connected yet. */
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

  // What was just given up is nobody's session, though its end has not been heard yet.
  const current = (): Session | undefined => (session?.isOver() ? undefined : session)
  const start = (): void => {
    if (closed || running !== undefined) return
    running = sessions.observable.pipe(retry({ delay: patience.next })).subscribe({ error: () => undefined })
  }

  // A process that is started again and again is soon left down.
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

/** Ends a wait, at the end of the task and once in a while only. */
function createWake({ hurry }: Pick<Patience, "hurry">): () => void {
  let woken = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - woken < WAKE_MS) return
    woken = performance.now()
    queueMicrotask(hurry)
  }
}

/** Says when, and whether, a lost server is connected again. */
interface Patience {
  /** Emits when it is time; never where it is left down. */
  next(cause: unknown): Observable<unknown>
  /** There is a session. */
  connected(): void
  /** There is none any more. */
  ended(): void
  /** Begins anew. */
  forget(): void
  /** Ends the wait for the next attempt, if there is one. */
  hurry(): void
}

function createPatience(options: KeepOptions, status: BehaviorSubject<UpstreamStatus>): Patience {
  const { limits, holdings } = options
  let since: number | undefined
  let failures = 0
  let deaths: number[] = []
  let goOn = (): void => {}
  const leaveDown = (reason: string, remedy: string): Observable<never> => {
    status.next({ state: "down", reason, remedy })
    return NEVER
  }
  return {
    next(cause) {
      failures += 1
      const now = Date.now()
      deaths = [...deaths.filter((at) => at > now - LOOP.withinMs), now]
      const reason = options.redact(reasonOf(cause))
      const remedy = remedyOf(cause)
      // It would be refused again, and each attempt may open a page or use up an account's patience.
      if (remedy !== undefined) return leaveDown(reason, remedy)
      if (!options.again) return leaveDown(reason, "connect the client again and take it anew")
      if (options.child && deaths.length >= LOOP.deaths) {
        const looped = `its process ended ${deaths.length} times within a minute; last: ${reason}`
        options.looped(`${looped}: ${REMEDY}`)
        return leaveDown(looped, REMEDY)
      }
      const retryMs = withJitter(Math.min(limits.retryMaxMs, limits.retryMs * 2 ** Math.min(failures - 1, 20)))
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
      // What lasted is no failure in a row.
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

/** How often those who want to call may shorten the wait, in milliseconds. */
const WAKE_MS = 1_000

/** A connection of this length was a good one, in milliseconds. */
const LASTED_MS = 10_000

/** What is told of sessions. */
interface SessionEars {
  connecting(): void
  connected(session: Session): void
  ended(): void
}

/** Sessions, one after the other: none is opened before the one before is gone. */
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
      subscriber.error(new UpstreamError("unreachable", reason))
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

/** Half of it for certain, so that a crowd that lost the same server does not come back in step. */
function withJitter(milliseconds: number): number {
  return Math.round(milliseconds / 2 + (Math.random() * milliseconds) / 2)
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
    const fail = (): void => settle(() => reject(new UpstreamError("unreachable", describeStatus(status.value))))
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

/** Why a server's members are not there, in words for a model. */
export function describeStatus(status: UpstreamStatus): string {
  switch (status.state) {
    case "idle":
    case "connecting":
      return "its server is being connected"
    case "waiting":
      return `its server is not connected: ${status.reason}`
    case "down":
      return `its server is down: ${status.reason}; ${status.remedy}`
    case "closed":
      return "its server was closed"
    case "connected":
      return "its server does not have it now"
  }
}
