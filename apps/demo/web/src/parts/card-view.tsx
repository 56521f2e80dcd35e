import { type RefCallback, useCallback, useEffect, useRef, useState } from "react"
import type { Deed } from "../../../src/board/authors.js"
import { type Board, type Card, DONE } from "../../../src/board/board.js"
import type { BoardStore } from "../../../src/board/board-store.js"
import { useDraggableCard } from "../drag.js"
import { moveByKey, walkByKey } from "../move-by-key.js"
import { Icon } from "./icon.js"

interface CardViewProps {
  readonly store: BoardStore
  readonly board: Board
  readonly card: Card
  /** A model's last change of this card. */
  readonly deed: Deed | undefined
  readonly say: (text: string) => void
}

/** Renders a card, which is opened with a click or Enter, dragged, or moved with Alt and the arrow keys. */
export function CardView({ store, board, card, deed, say }: CardViewProps) {
  const element = useRef<HTMLLIElement>(null)
  const { isDragged, edge } = useDraggableCard(element, card)
  const isNew = useChanged(card)
  const press = (event: React.KeyboardEvent): void => {
    if (event.altKey) void moveByKey(event, { store, board, card, say })
    else walkByKey(event)
  }
  return (
    <li
      ref={element}
      className="card"
      data-dragged={isDragged}
      data-edge={edge}
      data-new={isNew}
      data-done={card.column === DONE}
    >
      <button
        type="button"
        ref={useNameWhileShown(`card-${card.id}`)}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight"
        onClick={() => store.openCard(card.id)}
        onKeyDown={press}
      >
        <span className="title">
          {card.column === DONE && <Icon of="check" />}
          {card.title}
        </span>
        {card.notes !== "" && <span className="notes">{card.notes}</span>}
        <span className="facts">
          <span className="id">{card.id}</span>
          {card.comments.length > 0 && (
            <span>
              <Icon of="comment" />
              {card.comments.length}
              <span className="unseen"> comments</span>
            </span>
          )}
          {deed && (
            <span className="by" title={`${deed.by} ${deed.what}`}>
              <Icon of="model" />
              {deed.by}
            </span>
          )}
        </span>
      </button>
    </li>
  )
}

/**
 * Gives an element its id while React shows it. One that fades out stays in the document for a moment, and the id must lead to
 * the element that took its place, in the same list or in another.
 */
function useNameWhileShown(id: string): RefCallback<HTMLElement> {
  return useCallback(
    (element) => {
      if (element === null) return
      element.id = id
      element.inert = false
      return () => {
        element.removeAttribute("id")
        element.inert = true
      }
    },
    [id],
  )
}

/** Returns whether a card has just changed, to highlight other people's changes. */
function useChanged(card: Card): boolean {
  const text = JSON.stringify(card)
  const before = useRef(text)
  const [isNew, setNew] = useState(false)
  useEffect(() => {
    if (before.current === text) return
    before.current = text
    setNew(true)
    const timer = setTimeout(() => setNew(false), 1_600)
    return () => clearTimeout(timer)
  }, [text])
  return isNew
}
