import { Subject } from "rxjs"
import type { Notices, Tool } from "./peer.js"

/** Collects a server's notifications, for clients of either SDK. */
export interface Inbox {
  /** The received notices. */
  readonly notices: Notices
  /** The client's option `listChanged`, with which both SDKs list again automatically, as hosts do. */
  readonly listChanged: {
    readonly tools: ListChanged<Tool>
    readonly resources: ListChanged<{ readonly uri: string }>
  }
  /** Receives the URI of a changed resource. */
  updated(uri: string): void
}

/** An SDK client's handling of a changed list. */
export interface ListChanged<Item> {
  /** Milliseconds to wait for further notices. */
  debounceMs: number
  /** Receives the new list, or the error of listing. */
  onChanged(error: Error | null, items: readonly Item[] | null): void
}

/** Creates one client's inbox. A failed listing ends that list's stream with its error. */
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
