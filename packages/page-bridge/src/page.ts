import { backoff } from "@x/base"
import { toTitle } from "./bridge-frames.js"

/** The tab that shows a page. */
export interface Tab {
  /** Returns the tab's description. */
  describe(): { readonly tab: string; readonly load: string; readonly title: string; readonly focused: boolean }
  /** Takes another id, because a duplicated tab has the same. */
  rename(tab: string): void
}

/** Creates this page's tab. Its id survives reloads if the browser has session storage. */
export function createTab(app: string): Tab {
  const key = `@x/page-bridge/${app}`
  const load = createId()
  let tab = remembered(key) ?? createId()
  remember(key, tab)
  return {
    describe: () => ({ tab, load, title: toTitle(document.title), focused: document.hasFocus() }),
    rename(next) {
      tab = next
      remember(key, next)
    },
  }
}

/** Pages without https lack `crypto.randomUUID`. */
function createId(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-")
}

function remembered(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function remember(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value)
  } catch {
    // Without storage, each reload counts as another tab.
  }
}

/** Receives a page's lifecycle events. */
export interface PageListener {
  /** Called when the tab gets or loses the focus. */
  changed(): void
  /** Called when the page is closed, reloaded, or put into the back/forward cache. */
  hidden(): void
  /** Called when the page returns from the back/forward cache. */
  shown(): void
  /** Called when the page becomes visible or the network returns. */
  woken(): void
}

/** Listens to a page's lifecycle events. */
export function followPage({ changed, hidden, shown, woken }: PageListener): { readonly stop: () => void } {
  const onVisible = (): void => {
    changed()
    if (document.visibilityState === "visible") woken()
  }
  const onShow = (event: PageTransitionEvent): void => {
    if (event.persisted) shown()
  }
  const heard: readonly (readonly [EventTarget, string, EventListener])[] = [
    [globalThis, "focus", changed],
    [globalThis, "blur", changed],
    [document, "visibilitychange", onVisible],
    [document, "resume", woken],
    [globalThis, "online", woken],
    [globalThis, "pagehide", hidden],
    // Only this kind of event has that name.
    [globalThis, "pageshow", onShow as EventListener],
  ]
  for (const [target, name, listener] of heard) target.addEventListener(name, listener)
  return {
    stop() {
      for (const [target, name, listener] of heard) target.removeEventListener(name, listener)
    },
  }
}

/** Schedules attempts with exponential backoff and jitter. */
export interface Retry {
  /** Starts an attempt when the task ends. */
  now(): void
  /**
   * Attempts later.
   *
   * @returns The delay in milliseconds, or `undefined` after many failures in a hidden page, which then waits for `now()`.
   */
  later(): number | undefined
  /** Resets the backoff after a success. */
  reset(): void
  /** Cancels the pending attempt. */
  stop(): void
}

/** Creates a schedule for `attempt`. */
export function createRetry(attempt: () => void): Retry {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  const start = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(attempt, ms)
  }
  return {
    now: () => start(0),
    later() {
      failures += 1
      if (failures > ENOUGH && document.visibilityState === "hidden") return undefined
      const ms = backoff(failures, { firstMs: FIRST_MS, mostMs: SLOWEST_MS })
      start(ms)
      return ms
    },
    reset() {
      failures = 0
    },
    stop: () => clearTimeout(timer),
  }
}

const FIRST_MS = 200
const SLOWEST_MS = 15_000

/** The most failures before a hidden page stops trying. */
const ENOUGH = 8
