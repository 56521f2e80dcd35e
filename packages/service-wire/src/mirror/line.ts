import { BehaviorSubject, filter, type Observable, take } from "rxjs"
import type { WireClosed } from "../channel.js"
import type { Connection } from "./connection.js"

/** How a mirrored service is doing. */
export type MirrorStatus =
  /** Nothing was told yet. */
  | { readonly state: "connecting" }
  /** What is shown is what is there. */
  | { readonly state: "live" }
  /** The channel is lost, and another may come in time: what was there is shown, calls wait. */
  | { readonly state: "waiting"; readonly end: WireClosed }
  /** Nothing can be seen or called. */
  | { readonly state: "unavailable"; readonly end: WireClosed }

/** The connection of a mirror through its losses: what is shown, and what calls wait for. */
export interface Line {
  /** How it is doing; see {@link MirrorStatus}. */
  readonly status: Observable<MirrorStatus>
  /** The connection that the mirror stands for. */
  current(): Connection | undefined
  /** The connection to work over, as soon as there is one; or why there is none. */
  ready(signal: AbortSignal): Promise<Connection | { readonly reason: string }>
  /** Another connection is what the mirror stands for, as soon as `adopt` has run. */
  live(connection: Connection, adopt: () => void): void
  /** Whether what was there is shown, though the channel is lost. */
  isWaiting(): boolean
  /** The channel is lost. */
  lost(end: WireClosed): void
  /** Ends it for good. */
  close(): void
}

/** What a line needs. */
export interface LineOptions {
  /** For how long what was there is shown after a loss, in milliseconds. */
  readonly graceMs: number
  /** Why nothing is there, in other words than those of the loss. */
  readonly absent: string | undefined
  /** Hides what is shown, and says why. */
  readonly hide: (reason: string) => void
  /** Told that the grace is over: another connection may be adopted in it. */
  readonly lapsed: () => void
}

/** Not connected yet. */
export function createLine({ graceMs, absent, hide, lapsed }: LineOptions): Line {
  const status = new BehaviorSubject<MirrorStatus>({ state: "connecting" })
  let current: Connection | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const isWaiting = (): boolean => status.value.state === "waiting"
  const lapse = (end: WireClosed): void => {
    timer = undefined
    lapsed()
    if (current !== undefined) return
    hide(absent ?? end.reason)
    status.next({ state: "unavailable", end })
  }
  const lost = (end: WireClosed): void => {
    current = undefined
    if (isWaiting()) return
    if (status.value.state === "live" && graceMs > 0) {
      timer = setTimeout(() => lapse(end), graceMs)
      status.next({ state: "waiting", end })
    } else lapse(end)
  }

  return {
    status: status.asObservable(),
    current: () => current,
    isWaiting,
    lost,
    async ready(signal) {
      const reason = current === undefined ? await waitFor(status, signal) : undefined
      return current ?? { reason: absent ?? reason ?? GONE }
    },
    live(connection, adopt) {
      clearTimeout(timer)
      current = connection
      adopt()
      status.next({ state: "live" })
    },
    close() {
      clearTimeout(timer)
      current = undefined
      status.next({ state: "unavailable", end: { code: "left", reason: GONE } })
      status.complete()
    },
  }
}

/** Waits until there is a connection, or none is to be expected: then why. */
function waitFor(status: Observable<MirrorStatus>, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      subscription.unsubscribe()
      resolve("it was not connected in time")
    }
    const settle = (reason: string | undefined): void => {
      signal.removeEventListener("abort", giveUp)
      resolve(reason)
    }
    const settled = status.pipe(
      filter(({ state }) => state === "live" || state === "unavailable"),
      take(1),
    )
    const subscription = settled.subscribe({
      next: (now) => settle("end" in now ? now.end.reason : undefined),
      complete: () => settle(GONE),
    })
    if (signal.aborted) giveUp()
    else signal.addEventListener("abort", giveUp, { once: true })
  })
}

const GONE = "the mirror is closed"
