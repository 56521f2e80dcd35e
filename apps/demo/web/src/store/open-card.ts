import { BehaviorSubject, type Observable } from "rxjs"

/** The open card of this tab. The URL names it, so reloads keep it and links open it. */
export interface OpenCard {
  /** The card's id, at once and after every change; `undefined` for none. */
  readonly id$: Observable<string | undefined>
  /** Opens a card. */
  open(id: string): void
  /** Closes the open card. */
  close(): void
}

/** Follows the page's URL. */
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
