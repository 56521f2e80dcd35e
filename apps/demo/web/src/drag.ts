import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine"
import { draggable, dropTargetForElements, monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter"
import { attachClosestEdge, type Edge, extractClosestEdge } from "@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge"
import { type RefObject, useEffect, useState } from "react"
import type { Card } from "../../src/board/board.js"
import type { BoardStore, CardPlace } from "../../src/board/board-store.js"

/** Makes a card draggable, and a drop target above and below. */
export function useDraggableCard(
  ref: RefObject<HTMLElement | null>,
  { id, column }: Card,
): { readonly isDragged: boolean; readonly edge: Edge | undefined } {
  const [isDragged, setDragged] = useState(false)
  const [edge, setEdge] = useState<Edge>()
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    return combine(
      draggable({
        element,
        getInitialData: () => ({ card: id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data["card"] !== undefined && source.data["card"] !== id,
        getData: ({ input }) =>
          attachClosestEdge({ card: id, column }, { element, input, allowedEdges: ["top", "bottom"] }),
        onDrag: ({ self }) => setEdge(extractClosestEdge(self.data) ?? undefined),
        onDragLeave: () => setEdge(undefined),
        onDrop: () => setEdge(undefined),
      }),
    )
  }, [ref, id, column])
  return { isDragged, edge }
}

/** Makes a column a drop target. */
export function useColumnTarget(ref: RefObject<HTMLElement | null>, column: string): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data["card"] !== undefined,
      getData: () => ({ column }),
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: () => setOver(false),
    })
  }, [ref, column])
  return isOver
}

/** Moves dropped cards. */
export function useDrops(store: BoardStore, say: (text: string) => void): void {
  useEffect(
    () =>
      monitorForElements({
        async onDrop({ source, location }) {
          const id = source.data["card"]
          const [target] = location.current.dropTargets
          const place = target && toPlace(target.data, store)
          if (typeof id !== "string" || place === undefined) return
          await store.moveCard(id, place)
          const { cards, columns } = store.board()
          const title = cards.find((card) => card.id === id)?.title
          say(`${title} moved to ${columns.find((column) => column.id === place.column)?.title}`)
        },
      }),
    [store, say],
  )
}

function toPlace(data: Readonly<Record<string | symbol, unknown>>, store: BoardStore): CardPlace | undefined {
  const { column, card } = data
  if (typeof column !== "string") return undefined
  if (typeof card !== "string") return { column }
  if (extractClosestEdge(data) !== "bottom") return { column, before: card }
  const beside = store.board().cards.filter((other) => other.column === column)
  const next = beside[beside.findIndex(({ id }) => id === card) + 1]
  return { column, ...(next && { before: next.id }) }
}
