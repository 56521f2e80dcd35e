import { useEffect, useRef, useState } from "react"
import type { Deed } from "../../../src/board/authors.js"
import type { Board } from "../../../src/board/board.js"
import type { BoardStore } from "../../../src/board/board-store.js"
import { useDrops } from "../drag.js"
import { leaveOnEscape } from "../leave-on-escape.js"
import { useOverflow } from "../use-overflow.js"
import { ColumnView } from "./column-view.js"
import { Icon } from "./icon.js"

interface BoardViewProps {
  readonly store: BoardStore
  readonly board: Board
  readonly search: string
  readonly deeds: readonly Deed[]
  readonly say: (text: string) => void
}

/** Renders all columns and a form for adding another. */
export function BoardView({ store, board, search, deeds, say }: BoardViewProps) {
  const place = useRef<HTMLElement>(null)
  const more = useOverflow(place)
  useDrops(store, say)
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  const cards = board.cards.filter(({ title, notes, comments }) => isFound([title, notes, ...comments].join(" ")))
  const found = cards.length
  useEffect(() => {
    if (search !== "") say(`${found} of ${board.cards.length} cards`)
  }, [search, found, board.cards.length, say])
  return (
    <main ref={place} className="board" data-more={more} id="board" tabIndex={-1} aria-label="Board">
      {board.columns.map((column) => (
        <ColumnView
          key={column.id}
          {...{ store, board, column, deeds, say, searching: search !== "" }}
          cards={cards.filter((card) => card.column === column.id)}
        />
      ))}
      <NewColumn {...{ store, say }} />
    </main>
  )
}

function NewColumn({ store, say }: Pick<BoardViewProps, "store" | "say">) {
  const [title, setTitle] = useState("")
  const add = async (event: React.FormEvent): Promise<void> => {
    event.preventDefault()
    if (title.trim() === "") return
    setTitle("")
    const column = await store.addColumn(title.trim())
    say(`Column ${column.title} added`)
  }
  return (
    <form className="new-column" onSubmit={(event) => void add(event)}>
      <Icon of="plus" />
      <input
        placeholder="Add a column"
        aria-label="Title of a new column"
        maxLength={120}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => leaveOnEscape(event, () => setTitle(""))}
      />
    </form>
  )
}
