import type { PageOptions } from "@x/page-bridge"
import { BehaviorSubject, type Observable } from "rxjs"

type AskHere = NonNullable<PageOptions["ask"]>

/** A question that waits for the person. */
export interface OpenQuestion {
  /** Tells it from others. */
  readonly id: number
  /** What is asked. */
  readonly text: string
  /** Answers it. */
  answer(yes: boolean): void
}

/** Puts questions to the person in front of the page, one after the other. */
export interface Desk {
  /** The question that is open; `undefined` while none is. */
  readonly question$: Observable<OpenQuestion | undefined>
  /** Asks; when who asked gives up, the question goes away. */
  readonly ask: AskHere
}

/** Nothing is asked. */
export function createDesk(): Desk {
  const question$ = new BehaviorSubject<OpenQuestion | undefined>(undefined)
  const waiting: OpenQuestion[] = []
  let count = 0
  const next = (): void => question$.next(waiting[0])
  return {
    question$,
    ask: ({ action, confirm, signal }) =>
      new Promise((resolve) => {
        const end = (how: Awaited<ReturnType<AskHere>>): void => {
          signal.removeEventListener("abort", giveUp)
          waiting.splice(waiting.indexOf(question), 1)
          resolve(how)
          next()
        }
        const giveUp = (): void => end("cancelled")
        count += 1
        const text = confirm ?? `May a model do this: ${action}?`
        const question: OpenQuestion = { id: count, text, answer: (yes) => end(yes ? {} : "declined") }
        signal.addEventListener("abort", giveUp)
        waiting.push(question)
        next()
      }),
  }
}
