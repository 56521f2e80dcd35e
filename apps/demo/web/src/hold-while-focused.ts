/**
 * Runs `work` in one tab of all that have the page open: in the first, then in whichever is looked at, and in another when that
 * one is closed.
 *
 * @param work - Told by the signal to end, because another tab has taken over.
 */
export function holdWhileFocused(name: string, work: (signal: AbortSignal) => Promise<void>): void {
  let holding = false
  const hold = async (steal: boolean): Promise<void> => {
    const ending = new AbortController()
    const run = async (): Promise<void> => {
      holding = true
      await work(ending.signal)
    }
    // Where others could listen in there are no locks; then every tab is on its own.
    if (navigator.locks === undefined) return run()
    await navigator.locks.request(name, { steal }, run).catch(() => undefined)
    // Whatever comes here has lost it: another tab took it.
    holding = false
    ending.abort()
    await hold(false)
  }
  const look = (): void => {
    if (document.visibilityState === "visible" && document.hasFocus() && !holding) void hold(true)
  }
  addEventListener("focus", look)
  void hold(false)
}
