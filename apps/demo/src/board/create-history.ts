import { BehaviorSubject, distinctUntilChanged, map, type Observable } from "rxjs"

/** A value that remembers what it was. */
export interface History<Value> {
  /** The newest value, at once and then at every change. */
  readonly value$: Observable<Value>
  /** Whether there is something to take back. */
  readonly canUndo$: Observable<boolean>
  /** Whether something was taken back that can be done again. */
  readonly canRedo$: Observable<boolean>
  /** The newest value. */
  current(): Value
  /** Replaces the value; returning the same one changes nothing and is not remembered. */
  change(toNext: (value: Value) => Value): void
  /** Takes back the last change; `false` if there is none. */
  undo(): boolean
  /** Does again what was taken back last; `false` if nothing was, or something else was done since. */
  redo(): boolean
}

/** A value without a past. Remembers the last hundred changes. */
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

/** A value between those it had and those it was taken back from, each side the nearest first. */
interface Moment<Value> {
  readonly value: Value
  readonly before: readonly Value[]
  readonly after: readonly Value[]
}

const REMEMBERED = 100
