import { createStopSource, type StopSource } from "@x/agentic-service/adapter"
import { AdapterError } from "../../adapter-error.js"
import { createRoster } from "../../runtime/slots.js"

/** The requests that one server is answering, to be told to stop all at once when it is about to end. */
export interface Stops {
  /**
   * Gives a request a signal of its own, which aborts with `signal`, or when all are told to stop; then the request is
   * still answered, because nothing of the SDK knows.
   *
   * @param signal - Aborts when the client gives the request up.
   */
  follow(signal: AbortSignal): Followed
  /** {@link Stops.follow} for a request whose client gives it up by what comes back with it. */
  begin(): Begun
  /** Runs `stop` when all are told to stop; at once where they have been. Taken back by what it returns. */
  add(stop: () => void): () => void
  /** Tells all to stop, and whoever comes later as well. */
  all(): void
}

/** A request that can be told to stop. */
export interface Followed {
  /** Aborts with the reason, which is an `AdapterError` `closed` where the server ends. */
  readonly signal: AbortSignal
  /** Notes that it is answered; idempotent. */
  end(): void
}

/** A request that its client can give up. */
export interface Begun extends Pick<Followed, "end"> {
  /** Aborts as the signal of a request that is followed does. */
  readonly stop: StopSource
  /** Notes that the client gives it up. */
  giveUp(): void
}

/** Nothing asked yet. */
export function createStops(): Stops {
  const open = createRoster<() => void>()
  let stopped = false
  const add = (stop: () => void): (() => void) => {
    if (!stopped) return open.add(stop)
    stop()
    return () => undefined
  }
  const begin = () => {
    const stop = createStopSource()
    const end = add(() => stop.abort(new AdapterError("closed", "the server is closing")))
    return { stop, end, giveUp: stop.abort }
  }
  return {
    add,
    begin,
    follow(followed) {
      const { stop, end, giveUp } = begin()
      const abort = (): void => giveUp(followed.reason)
      followed.addEventListener("abort", abort)
      if (followed.aborted) abort()
      return {
        signal: stop.toSignal(),
        end() {
          end()
          followed.removeEventListener("abort", abort)
        },
      }
    },
    all() {
      stopped = true
      for (const stop of open.all()) stop()
    },
  }
}
