import { createStopSource, type StopSource } from "@x/agentic-service/adapter"
import { AdapterError } from "../../adapter-error.js"
import { createRoster } from "../../runtime/slots.js"

/** The running requests of one server, which can all be told to stop during shutdown. */
export interface Stops {
  /**
   * Gives a request its own signal, which aborts with `signal` or when all requests are told to stop. In the latter case the
   * request still gets an answer, because the SDK does not know of the abort.
   *
   * @param signal - Aborts when the client cancels the request.
   */
  follow(signal: AbortSignal): Followed
  /** Gives a request a stop source that the returned object cancels. */
  begin(): Begun
  /** Runs `stop` when all are told to stop; at once if they already have been. Returns a function that removes it. */
  add(stop: () => void): () => void
  /** Tells all requests to stop, including later ones. */
  all(): void
}

/** A request that can be told to stop. */
export interface Followed {
  /** Aborts with the reason: an `AdapterError` `closed` during shutdown. */
  readonly signal: AbortSignal
  /** Marks the request as answered; idempotent. */
  end(): void
}

/** A request that its client can cancel. */
export interface Begun extends Pick<Followed, "end"> {
  /** Aborts like {@link Followed.signal}. */
  readonly stop: StopSource
  /** Marks the request as cancelled by its client. */
  giveUp(): void
}

/** Creates the set of running requests. */
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
    const end = add(() => stop.abort(new AdapterError("the server is closing", { code: "closed" })))
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
