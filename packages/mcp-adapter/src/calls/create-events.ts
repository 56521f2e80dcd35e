import { Observable, Subject } from "rxjs"
import type { AdapterEvent, Emit } from "./adapter-event.js"

/** The one stream of what happens in an adapter. */
export interface Events {
  /** Adds an event. */
  readonly emit: Emit
  /**
   * The stream; hot, but the first listener is told as well which diagnostics and changes came before anybody could listen.
   * Calls are not kept: they hold what callers send.
   */
  readonly observable: Observable<AdapterEvent>
  /** Ends the stream. */
  complete(): void
}

/** How many events are kept for the first listener; what is broken from the start is reported before it can exist. */
const BACKLOG = 100

/** No events yet. */
export function createEvents(): Events {
  const subject = new Subject<AdapterEvent>()
  let backlog: AdapterEvent[] | undefined = []
  return {
    emit(event) {
      if (backlog !== undefined && backlog.length < BACKLOG && !event.type.startsWith("call-")) backlog.push(event)
      subject.next(event)
    },
    observable: new Observable((subscriber) => {
      const missed = backlog ?? []
      backlog = undefined
      for (const event of missed) subscriber.next(event)
      return subject.subscribe(subscriber)
    }),
    complete: () => subject.complete(),
  }
}
