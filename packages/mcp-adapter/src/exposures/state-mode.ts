/**
 * How states reach the client: as resources, through `get_state`, both, or not at all. `omit` leaves no trace of
 * them: no tool, no capability, no resource method, no name in an error.
 */
export type StateMode = "both" | "resources" | "tool" | "omit"

/** Every mode there is. */
export const stateModes: readonly StateMode[] = ["both", "resources", "tool", "omit"]

/** Whether states are resources in this mode: listed, read, subscribed to and notified. */
export function showsResources(mode: StateMode): boolean {
  return mode === "both" || mode === "resources"
}

/** Whether states are read through the tool `get_state` in this mode. */
export function showsGetState(mode: StateMode): boolean {
  return mode === "both" || mode === "tool"
}
