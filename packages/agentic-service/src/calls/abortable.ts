/** What an `AbortSignal` says; one is this as well. */
export interface Abortable {
  /** Whether it has aborted. */
  readonly aborted: boolean
  /** Why it has. */
  readonly reason: unknown
  /** Runs `listener` when it aborts. */
  addEventListener(type: "abort", listener: () => void): void
  /** Takes a listener away. */
  removeEventListener(type: "abort", listener: () => void): void
}

/** Tells work to stop. */
export interface StopSource extends Abortable {
  /** The same as an `AbortSignal`, made when it is first asked for: one costs as much as all else of a small call. */
  readonly signal: AbortSignal
  /** Aborts; only the first time counts. */
  abort(reason?: unknown): void
}

/**
 * Nothing has aborted.
 *
 * @param made - Is handed the signal once somebody asks for it, before they have it.
 */
export function createStopSource(made: (signal: AbortSignal) => void = () => {}): StopSource {
  const listeners = new Set<() => void>()
  let ended: { readonly reason: unknown } | undefined
  let controller: AbortController | undefined
  return {
    get aborted() {
      return ended !== undefined
    },
    get reason() {
      return ended?.reason
    },
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
    get signal() {
      if (controller === undefined) {
        controller = new AbortController()
        made(controller.signal)
      }
      if (ended !== undefined) controller.abort(ended.reason)
      return controller.signal
    },
    abort(reason = new DOMException("This operation was aborted", "AbortError")) {
      if (ended !== undefined) return
      ended = { reason }
      for (const listener of [...listeners]) listener()
      controller?.abort(reason)
    },
  }
}

const STOP = Symbol("stop")

/** A context whose `signal` is made when somebody asks for it. */
export function withStop<Rest extends object>(stop: StopSource, rest: Rest): Rest & { readonly signal: AbortSignal } {
  return {
    ...rest,
    [STOP]: stop,
    get signal() {
      return stop.signal
    },
  }
}

/** What a context aborts by, without making a signal of it. */
export function abortableOf(context: { readonly signal: AbortSignal }): Abortable {
  const stop: unknown = Reflect.get(context, STOP)
  // Only `withStop` knows the symbol.
  return stop === undefined ? context.signal : (stop as StopSource)
}
