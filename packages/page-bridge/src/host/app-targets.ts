import type { Target, Targets } from "@x/agentic-service/adapter"
import { shortHash } from "@x/base"
import { BehaviorSubject } from "rxjs"
import type { HostSettings } from "./page-options.js"

/** A tab that callers can select. */
export interface TargetTab extends Required<Pick<Target, "action" | "states" | "thing">> {
  /** The tab's id, which survives reloads. */
  readonly id: string
  /** Returns the document's title. */
  title(): string
  /** Whether its first full snapshot has arrived. */
  isWhole(): boolean
}

/** An application's tabs as targets, offered while the tabs differ. */
export interface AppTargets {
  /** The targets of the application's service. */
  readonly targets: Targets
  /** Schedules a comparison after a tab has joined, left or changed. */
  look(): void
  /** Stops comparing. */
  stop(): void
}

interface TargetOptions {
  readonly tabs: () => readonly TargetTab[]
  /** Returns the tab that answers by default. */
  readonly front: () => TargetTab | undefined
  /** Whether the tabs' members differ. Its cost grows with their data. */
  readonly differ: () => boolean
  readonly settings: Pick<HostSettings, "differMs" | "reloadMs" | "switchMs">
}

/** Creates targets without a choice. */
export function createAppTargets({ tabs, front, differ, settings }: TargetOptions): AppTargets {
  const { differMs, reloadMs, switchMs } = settings
  const keys = new BehaviorSubject<readonly string[]>([])
  let timer: ReturnType<typeof setTimeout> | undefined
  // When the found targets began to differ from the announced ones.
  let since: number | undefined
  let took = 0

  const toKeys = (): readonly string[] => {
    const began = performance.now()
    const whole = tabs().filter((tab) => tab.isWhole())
    const found = whole.length > 1 && differ() ? whole.map(toTargetKey).sort() : []
    took = performance.now() - began
    return found
  }
  const check = (): void => {
    timer = undefined
    const found = toKeys()
    if (sameKeys(found, keys.value)) {
      since = undefined
      return
    }
    const now = performance.now()
    since ??= now
    // A person who repeats a step in two tabs does it in one first, and a missing tab may be reloading.
    const wait = keys.value.every((key) => found.includes(key)) ? differMs : Math.max(differMs, reloadMs)
    const left = since + wait - now
    if (left > 0) lookIn(left)
    else {
      since = undefined
      keys.next(found)
    }
  }
  // Comparisons take at most a twentieth of the time, even if tabs change constantly.
  const lookIn = (ms: number): void => {
    timer = setTimeout(check, Math.max(ms, took * 20))
  }
  return {
    targets: {
      keys: keys.asObservable(),
      find(key) {
        const tab = tabs().find((each) => each.isWhole() && toTargetKey(each) === key)
        if (tab === undefined) return undefined
        const { action, states, thing } = tab
        return { title: tab.title(), isFront: tab === front(), action, states, thing }
      },
    },
    look() {
      // A single tab needs no comparison.
      if (timer === undefined && (keys.value.length > 0 || tabs().length > 1)) lookIn(switchMs)
    },
    stop() {
      clearTimeout(timer)
      keys.complete()
    },
  }
}

/** Returns the short key by which callers select a tab. It stays the same as long as the tab's id. */
export function toTargetKey({ id }: { readonly id: string }): string {
  return `tab_${shortHash([id])}`
}

function sameKeys(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index])
}
