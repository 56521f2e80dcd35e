import type { AgenticService } from "@x/agentic-service"
import type { Targets } from "@x/agentic-service/adapter"
import type { Path } from "../names/path.js"
import type { ServiceNode } from "./service-node.js"

/** The targets of a service, and where it stands. */
export interface PlacedTargets extends Pick<Targets, "find"> {
  /** The service's canonical path. */
  readonly path: Path
  /** What there is to choose from now. */
  readonly keys: readonly string[]
}

/** Puts together what few services have: their targets. */
export function createPlacedTargets(aimed: ReadonlyMap<AgenticService, ServiceNode>): () => readonly PlacedTargets[] {
  let last: readonly PlacedTargets[] = []
  return () => {
    const now = [...aimed.values()].map(({ place: { path, service }, targetKeys }): PlacedTargets => {
      return { path, keys: targetKeys?.() ?? [], find: (key) => service.targets?.find(key) }
    })
    const same = now.length === last.length && now.every(({ path, keys }, index) => isAlike(last[index], path, keys))
    if (!same) last = now
    return last
  }
}

function isAlike(before: PlacedTargets | undefined, path: Path, keys: readonly string[]): boolean {
  return before?.path === path && before.keys === keys
}
