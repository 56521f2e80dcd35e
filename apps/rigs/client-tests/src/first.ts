import { concatMap, filter, firstValueFrom, map, type Observable } from "rxjs"
import type { Peer } from "./peer.js"

/** The names of the first new list of tools that is like that: notices that come late for another change do no harm. */
export function firstTools(peer: Peer, isIt: (names: readonly string[]) => boolean): Promise<readonly string[]> {
  return first(peer.tools$.pipe(map((tools) => tools.map(({ name }) => name))), isIt)
}

/** The first new list of resource URIs that is like that. */
export function firstResources(peer: Peer, isIt: (uris: readonly string[]) => boolean): Promise<readonly string[]> {
  return first(peer.resources$, isIt)
}

/** The first value like that of a resource that the client follows, read at each update. */
export function firstValue(peer: Peer, uri: string, isIt: (text: string) => boolean): Promise<string> {
  const updates$ = peer.updates$.pipe(filter((updated) => updated === uri))
  return first(updates$.pipe(concatMap(() => peer.read(uri))), isIt)
}

function first<Value>(value$: Observable<Value>, isIt: (value: Value) => boolean): Promise<Value> {
  return firstValueFrom(value$.pipe(filter(isIt)))
}
