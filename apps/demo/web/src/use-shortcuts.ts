import { useEffect } from "react"
import type { BoardStore } from "../../src/board/board-store.js"

/** The targets of shortcuts. */
export interface ShortcutSite {
  readonly store: BoardStore
  /** Announces a text to screen readers. */
  readonly say: (text: string) => void
  readonly showHelp: () => void
  readonly toggleLive: () => void
}

/** Installs the shortcuts, which work everywhere except in text fields and dialogs. */
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

/** Returns whether a key belongs to a text field or a dialog. */
function isElsewhere({ target, altKey }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element && target.closest("input, textarea, select") !== null
  return altKey || isTyping || document.querySelector("dialog[open]") !== null
}

function toKeys({ ctrlKey, metaKey, shiftKey, key }: KeyboardEvent): string {
  return `${ctrlKey || metaKey ? "mod+" : ""}${shiftKey ? "shift+" : ""}${key.toLowerCase()}`
}

/** Undoes the last change and announces it. */
export async function undo({ store, say }: Pick<ShortcutSite, "store" | "say">): Promise<void> {
  say((await store.undo()) ? "Undone" : "Nothing to undo")
}

/** Redoes the last undone change and announces it. */
export async function redo({ store, say }: Pick<ShortcutSite, "store" | "say">): Promise<void> {
  say((await store.redo()) ? "Redone" : "Nothing to redo")
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
