import { Subject } from "rxjs"
import type { Notices, Tool } from "./peer.js"

/** Takes what a server says unasked, from a client of either SDK. */
export interface Inbox {
  /** What came in. */
  readonly notices: Notices
  /** The client's option of that name: both SDKs then list again on their own, as hosts have them do. */
  readonly listChanged: {
    readonly tools: ListChanged<Tool>
    readonly resources: ListChanged<{ readonly uri: string }>
  }
  /** Takes the URI of a resource that has another value. */
  updated(uri: string): void
}

/** What a client of either SDK does about a list that has changed. */
export interface ListChanged<Item> {
  /** Milliseconds to wait for more notices. */
  debounceMs: number
  /** Takes the new list, or why there is none. */
  onChanged(error: Error | null, items: readonly Item[] | null): void
}

/** Creates an inbox for one client. A list that cannot be listed again ends its stream in that error. */
export function createInbox(): Inbox {
  const tools$ = new Subject<readonly Tool[]>()
  const resources$ = new Subject<readonly string[]>()
  const updates$ = new Subject<string>()
  return {
    notices: { tools$, resources$, updates$ },
    listChanged: { tools: into(tools$, (tool) => tool), resources: into(resources$, ({ uri }) => uri) },
    updated: (uri) => updates$.next(uri),
  }
}

function into<Item, Kept>(list$: Subject<readonly Kept[]>, keep: (item: Item) => Kept): ListChanged<Item> {
  return {
    debounceMs: 0,
    onChanged: (error, items) => (items === null ? list$.error(error) : list$.next(items.map(keep))),
  }
}
