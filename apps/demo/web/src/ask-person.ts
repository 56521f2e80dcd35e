import type { PageOptions } from "@x/page-bridge"
import { BehaviorSubject, type Observable } from "rxjs"
import { CALL_MS } from "../../src/services/call-time.js"

type AskHere = NonNullable<PageOptions["ask"]>

/** A question waiting for the person's answer. */
export interface OpenQuestion {
  /** Its unique number. */
  readonly id: number
  /** The question's text. */
  readonly text: string
  /** The requested action's name. */
  readonly action: string
  /** When the caller gives up, as `Date.now()` counts. */
  readonly until: number
  /** Answers the question. */
  answer(yes: boolean): void
}

/** Shows the person one question at a time. */
export interface Desk {
  /** The open question; `undefined` for none. */
  readonly question$: Observable<OpenQuestion | undefined>
  /** Asks a question, which closes if its caller cancels. */
  readonly ask: AskHere
}

/** Creates a desk without questions. */
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
        const text = confirm ?? `Allow a model to run ${action}?`
        const question: OpenQuestion = {
          id: count,
          text,
          action,
          until: Date.now() + CALL_MS,
          answer: (yes) => end(yes ? {} : "declined"),
        }
        signal.addEventListener("abort", giveUp)
        waiting.push(question)
        next()
      }),
  }
}
