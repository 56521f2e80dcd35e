import type { Failure } from "@x/agentic-service"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution } from "../catalogue/view.js"
import type { ActiveCall } from "./active-call.js"

/** Says why a known action cannot be called now, and what can be: what is nearest to it first, as far as there is room. */
export function toNotAvailable(
  { view, subject }: ActiveCall,
  resolution: Exclude<Resolution, { status: "available" }>,
): Failure {
  const reason = resolution.status === "unavailable" ? resolution.reason : undefined
  const { tools } = view.snapshot()
  return {
    ok: false,
    code: "not_available",
    message: `action "${subject.name}" is not available now${reason ? `: ${reason}` : ""}`,
    recovery: toRecovery(resolution.status === "unavailable" ? sortByDistance(tools, resolution.entry) : tools),
  }
}

function toRecovery(tools: readonly ToolEntry[]): string {
  if (tools.length === 0) return "no action can be called now"
  const shown = tools.slice(0, shownNames).map((tool) => tool.name)
  const more = tools.length - shown.length
  return `can be called now: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

/** The actions of the same service first, then by how far one has to go along the links; else as they are listed. */
function sortByDistance(tools: readonly ToolEntry[], to: ToolEntry): readonly ToolEntry[] {
  if (tools.length <= shownNames) return tools
  const measured = tools.map((tool) => ({ tool, distance: distanceOf(tool, to), likeness: likenessOf(tool, to) }))
  // Sorting is stable, so what is as near stays in the order of the list.
  measured.sort((one, other) => one.distance - other.distance || other.likeness - one.likeness)
  return measured.map(({ tool }) => tool)
}

function distanceOf({ path }: ToolEntry, to: ToolEntry): number {
  return path.length + to.path.length - 2 * countShared(path, to.path)
}

function likenessOf({ key }: ToolEntry, to: ToolEntry): number {
  return countShared([...key], [...to.key])
}

/** How long two lists go on as the same. */
function countShared(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((item, index) => item !== other[index])
  return end === -1 ? one.length : end
}

const shownNames = 20
