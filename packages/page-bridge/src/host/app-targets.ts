import type { Target, Targets } from "@x/agentic-service/adapter"
import { shortHash } from "@x/tool-schemas/json"
import { BehaviorSubject } from "rxjs"
import type { HostSettings } from "./page-options.js"

/** A tab that callers may choose. */
export interface TargetTab extends Required<Pick<Target, "action" | "states" | "thing">> {
  /** What it is called, the same over reloads. */
  readonly id: string
  /** The title of its document. */
  title(): string
  /** Whether it has told all there is. */
  isWhole(): boolean
}

/** The tabs of an application as targets: worth a choice as long as they differ. */
export interface AppTargets {
  /** What its service says of them. */
  readonly targets: Targets
  /** Looks again, soon: a tab came or went, or told something. */
  look(): void
  /** Ends it. */
  stop(): void
}

interface TargetOptions {
  readonly tabs: () => readonly TargetTab[]
  /** The one that answers where none is chosen. */
  readonly front: () => TargetTab | undefined
  /** Whether some show or do what others do not. Costs what they hold. */
  readonly differ: () => boolean
  readonly settings: Pick<HostSettings, "differMs" | "reloadMs" | "switchMs">
}

/** No choice yet. */
export function createAppTargets({ tabs, front, differ, settings }: TargetOptions): AppTargets {
  const { differMs, reloadMs, switchMs } = settings
  const keys = new BehaviorSubject<readonly string[]>([])
  let timer: ReturnType<typeof setTimeout> | undefined
  // Since when what there is to choose is another than what was told.
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
    // Whoever does the same in two tabs does it in one first; and a tab that is missing may be reloading.
    const wait = keys.value.every((key) => found.includes(key)) ? differMs : Math.max(differMs, reloadMs)
    const left = since + wait - now
    if (left > 0) lookIn(left)
    else {
      since = undefined
      keys.next(found)
    }
  }
  // Tabs that tell all the time, and much, take a twentieth of the time at most.
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
      // Most applications are open in one tab, and nothing is worth a look there.
      if (timer === undefined && (keys.value.length > 0 || tabs().length > 1)) lookIn(switchMs)
    },
    stop() {
      clearTimeout(timer)
      keys.complete()
    },
  }
}

/** What callers call a tab: short, of our own making, and the same whenever the tab is. */
export function toTargetKey({ id }: { readonly id: string }): string {
  return `tab_${shortHash([id])}`
}

function sameKeys(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index])
}
