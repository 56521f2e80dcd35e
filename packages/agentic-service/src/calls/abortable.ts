/** The part of `AbortSignal` that reports an abort. Every `AbortSignal` is one. */
export interface Abortable {
  /** Whether it has aborted. */
  readonly aborted: boolean
  /** The reason of the abort. */
  readonly reason: unknown
  /** Calls `listener` on abort. */
  addEventListener(type: "abort", listener: () => void): void
  /** Removes a listener. */
  removeEventListener(type: "abort", listener: () => void): void
}

/** A source of aborts that tells work to stop. */
export interface StopSource extends Abortable {
  /**
   * Returns an equivalent `AbortSignal`, created on first use, because creating one costs as much as the rest of a small call.
   */
  toSignal(): AbortSignal
  /** Aborts. Only the first call counts. */
  abort(reason?: unknown): void
}

/**
 * Creates a stop source.
 *
 * @param made - Called with the signal when it is created, before its user gets it.
 * @example
 * ```ts
 * import { createStopSource } from "@x/agentic-service/adapter"
 *
 * const stop = createStopSource()
 * stop.addEventListener("abort", () => console.log(stop.reason)) // the client left
 * stop.abort("the client left")
 * console.log(stop.toSignal().aborted) // true
 * ```
 */
export function createStopSource(made: (signal: AbortSignal) => void = () => {}): StopSource {
  let listeners: Set<() => void> | undefined
  let controller: AbortController | undefined
  // Plain properties, because a literal with its own accessors gets a new hidden class on each evaluation.
  const source = {
    aborted: false,
    reason: undefined as unknown, // the reason may be any value
    addEventListener(_: "abort", listener: () => void) {
      listeners ??= new Set()
      listeners.add(listener)
    },
    removeEventListener: (_: "abort", listener: () => void) => void listeners?.delete(listener),
    toSignal() {
      if (controller === undefined) {
        controller = new AbortController()
        made(controller.signal)
      }
      if (source.aborted) controller.abort(source.reason)
      return controller.signal
    },
    abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")) {
      if (source.aborted) return
      source.aborted = true
      source.reason = reason
      for (const listener of [...(listeners ?? [])]) listener()
      controller?.abort(reason)
    },
  }
  return source
}

/**
 * Reports everything that a signal's listeners throw or reject with, `onabort` included. An unhandled error of an event ends
 * the process on Node.
 *
 * @param signal - The signal for authors, still without listeners.
 * @example
 * ```ts
 * import { guardListeners } from "@x/agentic-service/adapter"
 *
 * const controller = new AbortController()
 * guardListeners(controller.signal, (cause) => console.log(String(cause))) // Error: broken listener
 * controller.signal.addEventListener("abort", () => {
 *   throw new Error("broken listener")
 * })
 * controller.abort()
 * ```
 */
export function guardListeners(signal: AbortSignal, onThrown: (cause: unknown) => void): void {
  const guarded = new WeakMap<object, (event: Event) => void>()
  const guard = (listener: Listener): ((event: Event) => void) => {
    const made = guarded.get(listener) ?? guardListener(listener, { signal, onThrown })
    guarded.set(listener, made)
    return made
  }
  const { addEventListener, removeEventListener } = signal
  Object.assign(signal, {
    addEventListener: (...[type, listener, options]: Parameters<AbortSignal["addEventListener"]>) =>
      addEventListener.call(signal, type, listener && guard(listener), options),
    removeEventListener: (...[type, listener, options]: Parameters<AbortSignal["removeEventListener"]>) =>
      removeEventListener.call(signal, type, listener && guard(listener), options),
  })
  let handler: AbortSignal["onabort"] = null
  const handle = (event: Event): unknown => handler?.call(signal, event)
  Object.defineProperty(signal, "onabort", {
    configurable: true,
    enumerable: true,
    get: () => handler,
    set(next: unknown) {
      // Values other than functions are ignored, as on the platform.
      handler = typeof next === "function" ? (next as AbortSignal["onabort"]) : null
      if (handler !== null) signal.addEventListener("abort", handle)
    },
  })
}

type Listener = Exclude<Parameters<AbortSignal["addEventListener"]>[1], null>

function guardListener(
  listener: Listener,
  { signal, onThrown }: { readonly signal: AbortSignal; readonly onThrown: (cause: unknown) => void },
): (event: Event) => void {
  return (event) => {
    try {
      const returned: unknown =
        typeof listener === "function" ? listener.call(signal, event) : listener.handleEvent(event)
      Promise.resolve(returned).catch(onThrown)
    } catch (cause) {
      onThrown(cause)
    }
  }
}

const STOP = Symbol("stop")

/**
 * Creates a context whose `signal` is created on first use.
 *
 * @example
 * ```ts
 * import type { ExecuteContext } from "@x/agentic-service"
 * import { createStopSource, withStop } from "@x/agentic-service/adapter"
 *
 * const stop = createStopSource()
 * const context: ExecuteContext = withStop(stop, { answers: {}, progress: () => {} })
 * stop.abort("the client left")
 * console.log(context.signal.aborted, context.signal.reason) // true the client left
 * ```
 */
export function withStop<Rest extends object>(stop: StopSource, rest: Rest): Rest & { readonly signal: AbortSignal } {
  const context: Rest & { readonly signal?: AbortSignal } = { [STOP]: stop, ...rest }
  Object.defineProperty(context, "signal", SIGNAL)
  // The property exists now.
  return context as Rest & { readonly signal: AbortSignal }
}

/** The shared accessor gives all contexts the same hidden class. It is an own property, so copies have a signal too. */
const SIGNAL: PropertyDescriptor & ThisType<{ readonly [STOP]: StopSource }> = {
  configurable: true,
  enumerable: true,
  get() {
    return this[STOP].toSignal()
  },
}

/**
 * Returns a context's source of aborts without creating its signal.
 *
 * @example
 * ```ts
 * import { abortableOf, createStopSource, withStop } from "@x/agentic-service/adapter"
 *
 * const stop = createStopSource()
 * const context = withStop(stop, { answers: {}, progress: () => {} })
 * abortableOf(context).addEventListener("abort", () => console.log(stop.reason)) // the client left
 * stop.abort("the client left")
 * ```
 */
export function abortableOf(context: { readonly signal: AbortSignal }): Abortable {
  const stop: unknown = Reflect.get(context, STOP)
  // Only `withStop` knows the symbol.
  return stop === undefined ? context.signal : (stop as StopSource)
}
