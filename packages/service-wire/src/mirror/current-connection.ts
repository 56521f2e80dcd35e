import type { Abortable } from "@x/agentic-service/adapter"
import { BehaviorSubject, filter, type Observable, take } from "rxjs"
import type { WireClosed } from "../channel.js"
import type { Connection } from "./connection.js"

/** The status of a mirrored service. */
export type MirrorStatus =
  /** No snapshot has arrived yet. */
  | { readonly state: "connecting" }
  /** The members are current. */
  | { readonly state: "live" }
  /** The channel is lost. Members stay visible and calls wait for another channel. */
  | { readonly state: "waiting"; readonly end: WireClosed }
  /** No member is visible and no action can be called. */
  | { readonly state: "unavailable"; readonly end: WireClosed }

/** The connection that a mirror uses now, across losses, and the mirror's status. */
export interface CurrentConnection {
  /** The current status and its changes; see {@link MirrorStatus}. */
  readonly status: Observable<MirrorStatus>
  /** Returns the selected connection. */
  current(): Connection | undefined
  /** Waits for a connection. Resolves with a reason if no connection can be expected. */
  ready(signal: Abortable): Promise<Connection | { readonly reason: string }>
  /** Makes another connection the current one and runs `adopt`. */
  live(connection: Connection, adopt: () => void): void
  /** Whether members are still visible although the channel is lost. */
  isWaiting(): boolean
  /** Handles the loss of the channel. */
  lost(end: WireClosed): void
  /** Drops the connection for good. */
  close(): void
}

/** Options of {@link createCurrentConnection}. */
export interface CurrentConnectionOptions {
  /** How long members stay visible after a loss, in milliseconds. */
  readonly graceMs: number
  /** The reason why members are unavailable, instead of the reason of the loss. */
  readonly absent: string | undefined
  /** Hides all members for the given reason. */
  readonly hide: (reason: string) => void
  /** Called when the grace period is over. It may adopt another connection. */
  readonly lapsed: () => void
}

/** Creates the state of a mirror that has no connection yet. */
export function createCurrentConnection(options: CurrentConnectionOptions): CurrentConnection {
  const { graceMs, absent, hide, lapsed } = options
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

/** Waits for a connection. Resolves with a reason if no connection can be expected. */
function waitFor(status: Observable<MirrorStatus>, signal: Abortable): Promise<string | undefined> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      subscription.unsubscribe()
      resolve("no connection was made in time")
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
    else signal.addEventListener("abort", giveUp)
  })
}

const GONE = "the mirror is closed"
