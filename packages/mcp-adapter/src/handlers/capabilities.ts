import type { Leg } from "../calls/call-context.js"
import { type StateMode, showsResources } from "../exposures/state-mode.js"

/** What a server announces of itself. A `type` so that SDK types accept it. */
export type Capabilities = {
  /** Always there, also with no tool yet: one may come. */
  readonly tools: { readonly listChanged?: true }
  /** There unless states are not resources. */
  readonly resources?: { readonly listChanged?: true; readonly subscribe?: true }
}

/** Says exactly what a leg can deliver: no notice is promised where none can arrive. */
export function toCapabilities(leg: Leg, states: StateMode): Capabilities {
  const tools = leg.notices ? { listChanged: true as const } : {}
  const resources = leg.notices ? { listChanged: true as const, subscribe: true as const } : {}
  return showsResources(states) ? { tools, resources } : { tools }
}
