import { createDeferred } from "@x/base"
import type { Path } from "../names/path.js"
import { type Host, startTimer } from "../runtime/host.js"
import type { CatalogueLimits } from "./listing.js"
import type { MapName } from "./watch-service.js"

/** Bounded waiting for silent maps at the start, and for unpublished tools at any time. */
interface Readiness {
  /** Resolves when all is complete, or when the current wait ends. */
  wait(): Promise<void>
  /** Checks again whether all is complete, and returns the result. */
  check(): boolean
  /** Ends the wait. */
  close(): void
}

/** Options of the waiting. */
interface ReadinessOptions {
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** The limits, including the time to wait. */
  readonly limits: CatalogueLimits
  /** Returns whether tools remain unpublished. */
  readonly unfinished: () => boolean
  /** Returns the services with maps that have not emitted. */
  readonly silent: () => Iterable<SilentService>
}

/** A service with maps that have not emitted. */
export interface SilentService {
  /** Its place. */
  readonly path: Path
  /** The maps, at least one. */
  readonly maps: readonly MapName[]
}

/** Starts the first wait. */
export function createReadiness({ host, limits, silent, unfinished }: ReadinessOptions): Readiness {
  let first = true
  let closed = false
  // Cached, because it changes only when emissions are processed.
  let missing = true
  const isMissing = (): boolean => {
    if (unfinished()) return true
    if (first) for (const _ of silent()) return true
    return false
  }
  const finish = (): void => {
    current?.end()
    current = undefined
    first = false
    missing = isMissing()
  }
  const reportSilent = (): void => {
    for (const { path, maps } of silent()) {
      // A service without a first snapshot is usual, such as one whose page is not open yet.
      const found = maps.length === MAPS ? "the service has sent nothing" : `${maps.join(" and ")} have not emitted`
      const message = `${found} within ${limits.readyWaitMs} ms: the rest is served; they follow as soon as they emit`
      host.report({ code: "waiting", message, path })
    }
  }
  let current: Wait | undefined = startWait(host, limits.readyWaitMs, () => {
    reportSilent()
    finish()
  })
  return {
    wait() {
      if (current === undefined && !closed && missing) current = startWait(host, limits.readyWaitMs, finish)
      return current?.done ?? READY
    },
    check() {
      missing = isMissing()
      if (!missing && current !== undefined) finish()
      return !missing
    },
    close() {
      closed = true
      finish()
    },
  }
}

/** How many maps a service has. */
const MAPS = 3

/** Resolves at once. */
export const READY: Promise<void> = Promise.resolve()

interface Wait {
  readonly done: Promise<void>
  end(): void
}

function startWait(host: Host, ms: number, onOver: () => void): Wait {
  const { promise: done, resolve } = createDeferred()
  const cancel = startTimer(host, ms, onOver)
  return {
    done,
    end() {
      cancel()
      resolve()
    },
  }
}
