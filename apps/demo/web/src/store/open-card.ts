import { BehaviorSubject, type Observable } from "rxjs"

/** Which card is open in this tab: it stands in the address, so that a reload keeps it and a link leads to it. */
export interface OpenCard {
  /** The card's id, at once and then at every change; `undefined` while none is open. */
  readonly id$: Observable<string | undefined>
  /** Opens a card. */
  open(id: string): void
  /** Closes it. */
  close(): void
}

/** Follows the address of the page. */
export function createOpenCard(): OpenCard {
  const id$ = new BehaviorSubject(read())
  const show = (): void => {
    if (read() !== id$.value) id$.next(read())
  }
  addEventListener("hashchange", show)
  return {
    id$,
    open(id) {
      history.pushState(null, "", `#${encodeURIComponent(id)}`)
      show()
    },
    close() {
      history.pushState(null, "", location.pathname + location.search)
      show()
    },
  }
}

function read(): string | undefined {
  return location.hash.length > 1 ? decodeURIComponent(location.hash.slice(1)) : undefined
}
