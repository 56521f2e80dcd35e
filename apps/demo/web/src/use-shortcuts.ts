import { useEffect } from "react"
import type { BoardStore } from "../../src/board/board-store.js"

/** What keys reach. */
export interface ShortcutSite {
  readonly store: BoardStore
  /** Says something to who does not see it. */
  readonly say: (text: string) => void
  readonly showHelp: () => void
  readonly toggleLive: () => void
}

/** The keys that work wherever the focus is, but for text that is being written. */
export function useShortcuts(site: ShortcutSite): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const act = isElsewhere(event) ? undefined : actions[toKeys(event)]
      if (act === undefined) return
      event.preventDefault()
      act(site)
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  })
}

/** Whether a key is meant for text that is being written, or for a dialog. */
function isElsewhere({ target, altKey }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element && target.closest("input, textarea, select") !== null
  return altKey || isTyping || document.querySelector("dialog[open]") !== null
}

function toKeys({ ctrlKey, metaKey, shiftKey, key }: KeyboardEvent): string {
  return `${ctrlKey || metaKey ? "mod+" : ""}${shiftKey ? "shift+" : ""}${key.toLowerCase()}`
}

/** Takes back the last change, and says so. */
export async function undo({ store, say }: Pick<ShortcutSite, "store" | "say">): Promise<void> {
  say((await store.undo()) ? "Taken back" : "There is nothing to take back")
}

/** Does again what was taken back, and says so. */
export async function redo({ store, say }: Pick<ShortcutSite, "store" | "say">): Promise<void> {
  say((await store.redo()) ? "Done again" : "There is nothing to do again")
}

const focus = (selector: string) => (): void => document.querySelector<HTMLElement>(selector)?.focus()

const actions: Readonly<Record<string, (site: ShortcutSite) => void>> = {
  "mod+z": (site) => void undo(site),
  "mod+shift+z": (site) => void redo(site),
  "mod+y": (site) => void redo(site),
  "/": focus(".search input"),
  n: focus(".column .new input"),
  l: ({ toggleLive }) => toggleLive(),
  "shift+?": ({ showHelp }) => showHelp(),
  "?": ({ showHelp }) => showHelp(),
}
