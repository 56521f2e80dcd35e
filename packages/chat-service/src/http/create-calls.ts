import type { McpAdapter } from "@x/mcp-adapter"

/** One call on its way. */
export interface RunningCall {
  /** Aborts when its client is gone, or the handler closes and the grace is over. */
  readonly signal: AbortSignal
  /** Stops it; harmless once it has ended. */
  stop(): void
  /** To be called when it has been answered. */
  ended(): void
}

/** The calls of one handler. */
export interface Calls {
  /**
   * Begins one; `undefined` once the handler is closed.
   *
   * @param gone - Aborts when the client is gone.
   */
  begin(gone: AbortSignal): RunningCall | undefined
  /** Begins no more, and resolves once all have ended, however often it is called; those that go on after so many milliseconds are stopped. */
  close(grace: number): Promise<void>
}

/** No calls yet. */
export function createCalls({ core, ledger }: Pick<McpAdapter, "core" | "ledger">): Calls {
  const running = new Set<RunningCall>()
  let open = true
  let empty = (): void => {}
  let closing: Promise<void> | undefined
  const end = async (grace: number): Promise<void> => {
    if (running.size === 0) return
    const closed = ledger.open("timer")
    const cancel = core.clock.after(grace, () => {
      for (const call of running) call.stop()
    })
    await new Promise<void>((resolve) => {
      empty = resolve
    })
    cancel()
    closed()
  }
  return {
    begin(gone) {
      if (!open) return undefined
      const controller = new AbortController()
      const stop = (): void => controller.abort(new DOMException("the client is gone", "AbortError"))
      gone.addEventListener("abort", stop, { once: true })
      if (gone.aborted) stop()
      const call: RunningCall = {
        signal: controller.signal,
        stop,
        ended() {
          gone.removeEventListener("abort", stop)
          running.delete(call)
          if (running.size === 0) empty()
        },
      }
      running.add(call)
      return call
    },
    close(grace) {
      open = false
      closing ??= end(grace)
      return closing
    },
  }
}
