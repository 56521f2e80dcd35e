import {
  BehaviorSubject,
  finalize,
  fromEvent,
  interval,
  lastValueFrom,
  map,
  merge,
  type Observable,
  Subject,
  take,
  takeUntil,
  tap,
} from "rxjs"
import type { Board } from "./board.js"
import { toMarkdown } from "./to-markdown.js"

/** Exports the board slowly, as a large export would, one at a time. It does not depend on agents. */
export interface Exporter {
  /** The percentage of the running export, at once and after every step; `undefined` while none runs. */
  readonly percent$: Observable<number | undefined>
  /**
   * Exports the board's final state as Markdown. Resolves with `undefined` after a cancellation: {@link Exporter.cancel}, the
   * signal, or another export.
   *
   * @param report - Gets each percentage.
   */
  run(signal: AbortSignal, report: (percent: number) => void): Promise<string | undefined>
  /** Cancels the running export, if any. */
  cancel(): void
}

/** Creates an exporter of a board, whose exports last for the given time. */
export function createExporter(store: { board(): Board }, lastsMs: number): Exporter {
  const percent$ = new BehaviorSubject<number | undefined>(undefined)
  const cancelled$ = new Subject<void>()
  return {
    percent$,
    async run(signal, report) {
      cancelled$.next()
      percent$.next(0)
      const steps$ = interval(lastsMs / 100).pipe(
        map((step) => step + 1),
        take(100),
        takeUntil(merge(cancelled$, fromEvent(signal, "abort"))),
        tap((percent) => percent$.next(percent)),
        tap(report),
        finalize(() => percent$.next(undefined)),
      )
      const reached = await lastValueFrom(steps$, { defaultValue: 0 })
      return reached === 100 ? toMarkdown(store.board()) : undefined
    },
    cancel: () => cancelled$.next(),
  }
}
