import { useEffect, useRef, useState } from "react"
import { type Board, type Card, DONE } from "../../../src/board/board.js"
import type { BoardStore } from "../../../src/board/board-store.js"
import { leaveOnEscape } from "../leave-on-escape.js"
import { Icon } from "./icon.js"

interface CardPanelProps {
  readonly store: BoardStore
  readonly board: Board
  readonly card: Card
  readonly say: (text: string) => void
}

/**
 * Renders the open card beside the board; meanwhile models have its actions. A model may open it too, so it takes the focus
 * only from a card that a person has opened.
 */
export function CardPanel({ store, board, card, say }: CardPanelProps) {
  const remove = async (): Promise<void> => {
    await store.removeCard(card.id)
    say(`${card.title} removed. Undo brings it back.`)
  }
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    const from = document.activeElement
    if (from?.id === `card-${card.id}`) panel.current?.focus()
    return () => {
      if (from instanceof HTMLElement && from.id === `card-${card.id}`) document.getElementById(from.id)?.focus()
    }
  }, [card.id])
  return (
    <aside
      ref={panel}
      className="open-card"
      aria-label={`Card ${card.id}: ${card.title}`}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Escape" && store.closeCard()}
    >
      <header>
        <span className="id">{card.id}</span>
        <label>
          <span className="unseen">Column</span>
          <select
            value={card.column}
            onChange={(event) => void store.moveCard(card.id, { column: event.target.value })}
          >
            {board.columns.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {card.column !== DONE && (
          <button type="button" onClick={() => void store.moveCard(card.id, { column: DONE })}>
            <Icon of="check" />
            Complete
          </button>
        )}
        <span className="space" />
        <button
          type="button"
          className="quiet"
          aria-label="Remove this card"
          title="Remove this card"
          onClick={() => void remove()}
        >
          <Icon of="trash" />
        </button>
        <button type="button" className="quiet" aria-label="Close" onClick={store.closeCard}>
          <Icon of="close" />
        </button>
      </header>
      <Draft
        key={`title ${card.title}`}
        label="Title"
        value={card.title}
        className="title-input"
        save={(title) => title.trim() !== "" && store.changeCard(card.id, { title: title.trim() })}
      />
      <Draft
        key={`notes ${card.notes}`}
        label="Notes"
        value={card.notes}
        placeholder="Add notes"
        rows={4}
        save={(notes) => store.changeCard(card.id, { notes })}
      />
      <Comments {...{ store, card }} />
    </aside>
  )
}

interface DraftProps {
  readonly label: string
  readonly value: string
  readonly className?: string
  readonly placeholder?: string
  readonly rows?: number
  readonly save: (text: string) => unknown
}

/** Renders an editable text, saved on blur, or on Enter in a single line. */
function Draft({ label, value, className, placeholder, rows, save }: DraftProps) {
  const [text, setText] = useState(value)
  const isLeft = useRef(false)
  const keep = (): void => {
    if (text !== value && !isLeft.current) save(text)
    isLeft.current = false
  }
  const forget = (): void => {
    isLeft.current = true
    setText(value)
  }
  return (
    <label className={`draft ${className ?? ""}`}>
      <span>{label}</span>
      <textarea
        rows={rows ?? 1}
        value={text}
        placeholder={placeholder}
        maxLength={rows === undefined ? 120 : 4_000}
        onChange={(event) => setText(event.target.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          leaveOnEscape(event, forget)
          if (event.key !== "Enter" || (rows !== undefined && !event.ctrlKey)) return
          event.preventDefault()
          keep()
        }}
      />
    </label>
  )
}

function Comments({ store, card }: Pick<CardPanelProps, "store" | "card">) {
  const [text, setText] = useState("")
  const add = (event: React.FormEvent): void => {
    event.preventDefault()
    if (text.trim() === "") return
    void store.changeCard(card.id, { comments: [...card.comments, text.trim()] })
    setText("")
  }
  // Comments may be equal but are never removed, so the index identifies them.
  const comments = card.comments.map((comment, index) => ({ comment, key: `${index} ${comment}` }))
  return (
    <section aria-label="Comments" className="comments">
      <h3>Comments</h3>
      {comments.length === 0 && <p className="nothing">No comments yet</p>}
      <ul>
        {comments.map(({ comment, key }) => (
          <li key={key}>{comment}</li>
        ))}
      </ul>
      <form onSubmit={add}>
        <input
          placeholder="Write a comment"
          aria-label="Comment"
          maxLength={1_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => leaveOnEscape(event, () => setText(""))}
        />
        <button type="submit" className="main" disabled={text.trim() === ""}>
          Add
        </button>
      </form>
    </section>
  )
}
