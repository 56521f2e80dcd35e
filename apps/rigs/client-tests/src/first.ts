import { concatMap, filter, firstValueFrom, map, type Observable } from "rxjs"
import type { Peer } from "./peer.js"

/** Resolves with the names of the first new tool list that matches, ignoring late notices of other changes. */
export function firstTools(peer: Peer, isIt: (names: readonly string[]) => boolean): Promise<readonly string[]> {
  return first(peer.tools$.pipe(map((tools) => tools.map(({ name }) => name))), isIt)
}

/** Resolves with the first new list of resource URIs that matches. */
export function firstResources(peer: Peer, isIt: (uris: readonly string[]) => boolean): Promise<readonly string[]> {
  return first(peer.resources$, isIt)
}

/** Resolves with the first matching value of a followed resource, read at each update. */
export function firstValue(peer: Peer, uri: string, isIt: (text: string) => boolean): Promise<string> {
  const updates$ = peer.updates$.pipe(filter((updated) => updated === uri))
  return first(updates$.pipe(concatMap(() => peer.read(uri))), isIt)
}

function first<Value>(value$: Observable<Value>, isIt: (value: Value) => boolean): Promise<Value> {
  return firstValueFrom(value$.pipe(filter(isIt)))
}
