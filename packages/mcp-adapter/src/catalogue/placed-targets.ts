import type { AgenticService } from "@x/agentic-service"
import type { Targets } from "@x/agentic-service/adapter"
import type { Path } from "../names/path.js"
import type { ServiceNode } from "./service-node.js"

/** A service's targets and path. */
export interface PlacedTargets extends Pick<Targets, "find"> {
  /** The service's canonical path. */
  readonly path: Path
  /** Keys of the current targets. */
  readonly keys: readonly string[]
}

/** Targets of all services, as of the last processing. */
export interface Aims {
  /** Returns services' targets by path. The same array until they change. */
  targets(): readonly PlacedTargets[]
  /** Checks whether any service has targets, even an empty choice. */
  isAimed(): boolean
}

/** Creates a reader of all targets, which few services have. */
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
