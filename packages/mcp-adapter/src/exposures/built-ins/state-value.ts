import { type JsonValue, shortHash, toJson } from "@x/tool-schemas/json"
import type { StateEntry } from "../../catalogue/entry.js"

/** States as JSON, by key; one that went away since it was listed is not in it. */
export function toStateValues(entries: readonly StateEntry[]): { readonly [key: string]: JsonValue } {
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const state = entry.current()
      return state === undefined ? [] : [[entry.key, toJson(state.value)] as const]
    }),
  )
}

/** Stands for a value, to ask later whether it is still the same. */
export function toContentHash(json: JsonValue): string {
  return shortHash([JSON.stringify(json)])
}
