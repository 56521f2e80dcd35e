import { useAutoAnimate } from "@formkit/auto-animate/react"
import { useRef, useState } from "react"
import type { Deed } from "../../../src/board/authors.js"
import { type Board, type Card, type Column, DONE } from "../../../src/board/board.js"
import type { BoardStore } from "../../../src/board/board-store.js"
import { isRemovable } from "../../../src/board/changes.js"
import { useColumnTarget } from "../drag.js"
import { leaveOnEscape } from "../leave-on-escape.js"
import { CardView } from "./card-view.js"
import { Icon } from "./icon.js"

interface ColumnViewProps {
  readonly store: BoardStore
  readonly board: Board
  readonly column: Column
  readonly cards: readonly Card[]
  readonly searching: boolean
  readonly deeds: readonly Deed[]
  readonly say: (text: string) => void
}

/** Renders a column with its cards. */
export function ColumnView({ store, board, column, cards, searching, deeds, say }: ColumnViewProps) {
  const target = useRef<HTMLElement>(null)
  const isOver = useColumnTarget(target, column.id)
  const [list] = useAutoAnimate<HTMLUListElement>({ duration: 180 })
  const heading = `column-${column.id}`
  return (
    <section className="column" ref={target} data-over={isOver} data-column={column.id} aria-labelledby={heading}>
      <header>
        <ColumnTitle {...{ store, column, heading }} />
        <span className="count">
          {cards.length}
          <span className="unseen"> cards</span>
        </span>
        {isRemovable(board, column.id) && (
          <button
            type="button"
            className="quiet"
            title="Remove this column"
            aria-label={`Remove the column ${column.title}`}
            onClick={() => void store.removeColumn(column.id)}
          >
            <Icon of="close" />
          </button>
        )}
      </header>
      <ul ref={list}>
        {cards.map((card) => (
          <CardView
            key={card.id}
            {...{ store, board, card, say }}
            deed={deeds.findLast(({ cards: ids }) => ids.includes(card.id))}
          />
        ))}
        {cards.length === 0 && (
          <li className="nothing">
            {searching ? "No matching cards" : column.id === DONE ? "No completed cards" : "No cards"}
          </li>
        )}
      </ul>
      <NewCard {...{ store, column, say }} />
    </section>
  )
}

function ColumnTitle({
  store,
  column,
  heading,
}: Pick<ColumnViewProps, "store" | "column"> & { readonly heading: string }) {
  const [draft, setDraft] = useState<string>()
  const save = (): void => {
    const title = draft?.trim()
    if (title && title !== column.title) void store.renameColumn(column.id, title)
    setDraft(undefined)
  }
  return (
    <h2 id={heading}>
      {draft === undefined ? (
        <button type="button" className="quiet" title="Rename" onClick={() => setDraft(column.title)}>
          {column.title}
        </button>
      ) : (
        <input
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to write here
          autoFocus
          aria-label="Column title"
          maxLength={120}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === "Enter") save()
            if (event.key === "Escape") setDraft(undefined)
          }}
        />
      )}
    </h2>
  )
}

function NewCard({ store, column, say }: Pick<ColumnViewProps, "store" | "column" | "say">) {
  const [title, setTitle] = useState("")
  const add = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault()
    if (title.trim() === "") return
    setTitle("")
    await store.addCard(title.trim(), column.id)
    say(`${title.trim()} added to ${column.title}`)
  }
  return (
    <form className="new" onSubmit={(event) => void add(event)}>
      <Icon of="plus" />
      <input
        placeholder="Add a card"
        aria-label={`Title of a new card in ${column.title}`}
        maxLength={120}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => leaveOnEscape(event, () => setTitle(""))}
      />
    </form>
  )
}
