/**
 * How clients read states: as resources, through `get_state`, both, or not at all. With `omit` states leave no trace: no tool,
 * capability, resource method or name in an error.
 */
export type StateMode = "both" | "resources" | "tool" | "omit"

/** All modes. */
export const stateModes: readonly StateMode[] = ["both", "resources", "tool", "omit"]

/** Whether states are resources in this mode: listed, read, subscribed to and notified. */
export function showsResources(mode: StateMode): boolean {
  return mode === "both" || mode === "resources"
}

/** Whether the tool `get_state` exists in this mode. */
export function showsGetState(mode: StateMode): boolean {
  return mode === "both" || mode === "tool"
}
