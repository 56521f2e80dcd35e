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
  toSignal(): AbortSignal
  /** Aborts; only the first time counts. */
  abort(reason?: unknown): void
}

/**
 * Nothing has aborted.
 *
 * @param made - Is handed the signal once somebody asks for it, before they have it.
 */
export function createStopSource(made: (signal: AbortSignal) => void = () => {}): StopSource {
  let listeners: Set<() => void> | undefined
  let controller: AbortController | undefined
  // Plain properties: a literal with accessors of its own gets a hidden class of its own, each time it is evaluated.
  const source = {
    aborted: false,
    reason: undefined as unknown, // what aborts may be anything
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
 * Tells what listeners of a signal throw or reject with, `onabort` included: an event that is left with it ends the process on Node.
 *
 * @param signal - What authors are handed; nobody listens yet.
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
      // What is no function is no handler, as the platform has it.
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

/** A context whose `signal` is made when somebody asks for it. */
export function withStop<Rest extends object>(stop: StopSource, rest: Rest): Rest & { readonly signal: AbortSignal } {
  const context: Rest & { readonly signal?: AbortSignal } = { [STOP]: stop, ...rest }
  Object.defineProperty(context, "signal", SIGNAL)
  // It has one now.
  return context as Rest & { readonly signal: AbortSignal }
}

/** One accessor for all contexts, so that they are all of one shape. Their own, so that a copy has a signal as well. */
const SIGNAL: PropertyDescriptor & ThisType<{ readonly [STOP]: StopSource }> = {
  configurable: true,
  enumerable: true,
  get() {
    return this[STOP].toSignal()
  },
}

/** What a context aborts by, without making a signal of it. */
export function abortableOf(context: { readonly signal: AbortSignal }): Abortable {
  const stop: unknown = Reflect.get(context, STOP)
  // Only `withStop` knows the symbol.
  return stop === undefined ? context.signal : (stop as StopSource)
}
