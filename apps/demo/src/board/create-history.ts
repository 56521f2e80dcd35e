import { BehaviorSubject, distinctUntilChanged, map, type Observable } from "rxjs"

/** A value that remembers what it was. */
export interface History<Value> {
  /** The newest value, at once and then at every change. */
  readonly value$: Observable<Value>
  /** Whether there is something to take back. */
  readonly canUndo$: Observable<boolean>
  /** The newest value. */
  current(): Value
  /** Replaces the value; returning the same one changes nothing and is not remembered. */
  change(toNext: (value: Value) => Value): void
  /** Takes back the last change; `false` if there is none. */
  undo(): boolean
}

/** A value without a past. Remembers the last hundred changes. */
export function createHistory<Value>(first: Value): History<Value> {
  const versions = new BehaviorSubject<readonly [Value, ...Value[]]>([first])
  const current = (): Value => versions.value[0]
  return {
    value$: versions.pipe(map(([newest]) => newest)),
    canUndo$: versions.pipe(
      map(({ length }) => length > 1),
      distinctUntilChanged(),
    ),
    current,
    change(toNext) {
      const next = toNext(current())
      if (next !== current()) versions.next([next, ...versions.value.slice(0, REMEMBERED)])
    },
    undo() {
      const [, before, ...older] = versions.value
      if (before === undefined) return false
      versions.next([before, ...older])
      return true
    },
  }
}

const REMEMBERED = 100
