import { useEffect, useState } from "react"
import type { Deed } from "../../../src/board/authors.js"
import type { Board } from "../../../src/board/board.js"
import { Icon } from "./icon.js"

interface ToastProps {
  readonly deed: Deed
  readonly board: Board
  readonly undo: () => void
}

/** How long a toast stays, in milliseconds. */
const STAYS_MS = 10_000

/** Tells what a model just did. It can be undone here as long as nothing else has changed since. */
export function Toast({ deed, board, undo }: ToastProps) {
  const [isGone, setGone] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setGone(true), STAYS_MS)
    return () => clearTimeout(timer)
  }, [])
  if (isGone) return null
  const undoAndGo = (): void => {
    setGone(true)
    undo()
  }
  return (
    <section className="toast" aria-label="What a model did">
      <Icon of="model" />
      <p role="status">
        <strong>{deed.by}</strong> {deed.what}
      </p>
      {board === deed.board && (
        <button type="button" onClick={undoAndGo}>
          Undo
        </button>
      )}
      <button type="button" className="quiet" aria-label="Close this message" onClick={() => setGone(true)}>
        <Icon of="close" />
      </button>
    </section>
  )
}
