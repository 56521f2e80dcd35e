import { BehaviorSubject, type Observable } from "rxjs"
import type { Board, Card } from "./board.js"
import type { BoardStore } from "./board-store.js"

/** A change that a model made. */
export interface Deed {
  /** Its unique number, ascending. */
  readonly id: number
  /** The client that called, or "A model" where several were calling. */
  readonly by: string
  /** What happened, such as `added “Buy milk”`. */
  readonly what: string
  /** Ids of added or changed cards. */
  readonly cards: readonly string[]
  /** The board right after it. */
  readonly board: Board
}

/** Records what models do on a board, apart from its people. */
export interface Authors {
  /** The newest deeds of models, the newest last. */
  readonly deeds$: Observable<readonly Deed[]>
  /** The store for models: the same board, with every change recorded. */
  readonly store: BoardStore
}

/** How many deeds are kept. */
const KEPT = 50

/** Records the changes that come through the returned store. */
export function createAuthors(store: BoardStore, callers: () => Promise<readonly string[]>): Authors {
  const deeds$ = new BehaviorSubject<readonly Deed[]>([])
  let count = 0
  const add = (deed: Omit<Deed, "id">): void => {
    count += 1
    deeds$.next([...deeds$.value, { id: count, ...deed }].slice(-KEPT))
  }
  const record =
    <Args extends readonly unknown[], Result>(act: (...args: Args) => Result | Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const before = store.board()
      const result = await act(...args)
      const board = store.board()
      const deed = describe(before, board)
      // The model need not wait until its name is known here.
      if (deed !== undefined) void callers().then((names) => add({ by: theOne(names), board, ...deed }))
      return result
    }
  return {
    deeds$,
    store: {
      ...store,
      addCard: record(store.addCard),
      changeCard: record(store.changeCard),
      moveCard: record(store.moveCard),
      removeCard: record(store.removeCard),
      archive: record(store.archive),
      clear: record(store.clear),
      addColumn: record(store.addColumn),
      renameColumn: record(store.renameColumn),
      removeColumn: record(store.removeColumn),
      undo: record(store.undo),
      redo: record(store.redo),
    },
  }
}

/** Returns the one caller's name. Of several, none is guessed. */
export function theOne(callers: readonly string[]): string {
  const [name, ...more] = new Set(callers)
  return name !== undefined && more.length === 0 ? name : "A model"
}

/** Says what differs between two boards; `undefined` if nothing does. */
function describe(before: Board, after: Board): Pick<Deed, "what" | "cards"> | undefined {
  const old = new Map(before.cards.map((card) => [card.id, card]))
  const added = after.cards.filter(({ id }) => !old.has(id))
  const changed = after.cards.filter((card) => isChanged(old.get(card.id), card))
  const removed = before.cards.filter(({ id }) => !after.cards.some((card) => card.id === id))
  const cards = [...added, ...changed].map(({ id }) => id)
  if (added.length > 0) return { what: `added ${list(added)}`, cards }
  if (changed.length > 0) return { what: toVerb(changed, { old, after }), cards }
  if (removed.length > 0) return { what: `removed ${list(removed)}`, cards }
  return JSON.stringify(before.columns) === JSON.stringify(after.columns)
    ? undefined
    : { what: "changed the columns", cards }
}

function isChanged(before: Card | undefined, after: Card): boolean {
  return before !== undefined && JSON.stringify(before) !== JSON.stringify(after)
}

function toVerb(
  changed: readonly Card[],
  { old, after }: { readonly old: ReadonlyMap<string, Card>; readonly after: Board },
): string {
  const [card] = changed
  const before = card && old.get(card.id)
  if (card === undefined || before === undefined || changed.length > 1) return `changed ${list(changed)}`
  if (before.column !== card.column)
    return `moved ${list(changed)} to ${after.columns.find(({ id }) => id === card.column)?.title ?? card.column}`
  return before.comments.length < card.comments.length ? `commented on ${list(changed)}` : `edited ${list(changed)}`
}

function list(cards: readonly Card[]): string {
  const [first] = cards
  return cards.length === 1 && first ? `“${first.title}”` : `${cards.length} cards`
}
