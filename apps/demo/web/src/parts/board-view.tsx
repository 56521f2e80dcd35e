import { useEffect, useState } from "react"
import type { Board } from "../../../src/board/board.js"
import type { BoardStore } from "../../../src/board/board-store.js"
import { useDrops } from "../drag.js"
import { ColumnView } from "./column-view.js"
import { Icon } from "./icon.js"

interface BoardViewProps {
  readonly store: BoardStore
  readonly board: Board
  readonly search: string
  readonly say: (text: string) => void
}

/** The columns from left to right, and room for one more. */
export function BoardView({ store, board, search, say }: BoardViewProps) {
  useDrops(store, say)
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const isFound = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
  const cards = board.cards.filter(({ title, notes, comments }) => isFound([title, notes, ...comments].join(" ")))
  const found = cards.length
  useEffect(() => {
    if (search !== "") say(`${found} of ${board.cards.length} cards`)
  }, [search, found, board.cards.length, say])
  return (
    <main className="board" id="board" tabIndex={-1} aria-label="Board">
      {board.columns.map((column) => (
        <ColumnView
          key={column.id}
          {...{ store, board, column, say, searching: search !== "" }}
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
      />
    </form>
  )
}
