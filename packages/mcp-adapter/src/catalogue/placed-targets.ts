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

/** The targets of all services. What is told is what was taken in last. */
export interface Aims {
  /** Those that services have, by path; the same array as long as nothing about them changes. */
  targets(): readonly PlacedTargets[]
  /** Whether a service has targets, to choose from or not. */
  isAimed(): boolean
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
