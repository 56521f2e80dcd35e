import type { State } from "@x/agentic-service"
import { sameValue } from "@x/tool-schemas/json"

/**
 * Whether a state that emitted has another value.
 *
 * The same object emitted again counts as another value: its owner may have changed it in place.
 */
export function valueChanged(before: State, after: State): boolean {
  if (before === after) return false
  if (typeof after.value === "object" && after.value !== null && before.value === after.value) return true
  return !sameValue(before.value, after.value)
}
