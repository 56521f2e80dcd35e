import { BehaviorSubject, distinctUntilChanged, map, type Observable } from "rxjs"

/** A value with undo and redo. */
export interface History<Value> {
  /** The value, at once and after every change. */
  readonly value$: Observable<Value>
  /** Whether a change can be undone. */
  readonly canUndo$: Observable<boolean>
  /** Whether an undone change can be redone. */
  readonly canRedo$: Observable<boolean>
  /** Returns the current value. */
  current(): Value
  /** Replaces the value. Returning the same value changes nothing. */
  change(toNext: (value: Value) => Value): void
  /** Undoes the last change. Returns `false` if there is none. */
  undo(): boolean
  /** Redoes the last undone change. Returns `false` if nothing can be undone, or if somebody changed the board since. */
  redo(): boolean
}

/** Creates a value without a past. Keeps the last hundred changes. */
export function createHistory<Value>(first: Value): History<Value> {
  const moments = new BehaviorSubject<Moment<Value>>({ value: first, before: [], after: [] })
  const has = (side: "before" | "after"): Observable<boolean> =>
    moments.pipe(
      map((moment) => moment[side].length > 0),
      distinctUntilChanged(),
    )
  return {
    value$: moments.pipe(
      map(({ value }) => value),
      distinctUntilChanged(),
    ),
    canUndo$: has("before"),
    canRedo$: has("after"),
    current: () => moments.value.value,
    change(toNext) {
      const { value, before } = moments.value
      const next = toNext(value)
      if (next !== value) moments.next({ value: next, before: [value, ...before.slice(0, REMEMBERED - 1)], after: [] })
    },
    undo() {
      const { value, before, after } = moments.value
      const [last, ...older] = before
      if (last === undefined) return false
      moments.next({ value: last, before: older, after: [value, ...after] })
      return true
    },
    redo() {
      const { value, before, after } = moments.value
      const [next, ...later] = after
      if (next === undefined) return false
      moments.next({ value: next, before: [value, ...before], after: later })
      return true
    },
  }
}

/** A value between its past and its undone changes, each nearest first. */
interface Moment<Value> {
  readonly value: Value
  readonly before: readonly Value[]
  readonly after: readonly Value[]
}

const REMEMBERED = 100
