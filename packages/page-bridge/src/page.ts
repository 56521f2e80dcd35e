import { toTitle } from "./bridge-frames.js"

/** The tab that a page is in. */
export interface Tab {
  /** What is said of it. */
  describe(): { readonly tab: string; readonly load: string; readonly title: string; readonly focused: boolean }
  /** Takes another name, because another tab has the same: it was duplicated. */
  rename(tab: string): void
}

/** The tab of this page: the same over reloads, where the browser lets it remember. */
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

/** Pages without https have no `crypto.randomUUID`. */
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
    // A page without storage is another tab after each reload.
  }
}

/** Who hears of what happens to a page. */
export interface PageListener {
  /** It is in front, or not any more. */
  changed(): void
  /** It is left: closed, reloaded, or put into the back/forward cache. */
  hidden(): void
  /** It came back from there. */
  shown(): void
  /** It is looked at again, or has a network again. */
  woken(): void
}

/** Follows what happens to the page. */
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
    // The one kind of event that this name stands for.
    [globalThis, "pageshow", onShow as EventListener],
  ]
  for (const [target, name, listener] of heard) target.addEventListener(name, listener)
  return {
    stop() {
      for (const [target, name, listener] of heard) target.removeEventListener(name, listener)
    },
  }
}

/** When to try again: soon at first, then more and more rarely, and never at the same time as everybody else. */
export interface Retry {
  /** Tries at once, at the end of the task. */
  now(): void
  /**
   * Tries later.
   *
   * @returns After how many milliseconds; `undefined` where it was in vain so often that only a sign of life is worth another try.
   */
  later(): number | undefined
  /** It worked: from now on, soon again. */
  reset(): void
  /** Does not try any more, until told to. */
  stop(): void
}

/** Tries with `attempt`. */
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
      const ms = Math.round(Math.min(SLOWEST_MS, FIRST_MS * 2 ** (failures - 1)) * (0.5 + Math.random()))
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

/** A page that nobody looks at does not try for ever. */
const ENOUGH = 8
