import type { Path } from "../names/path.js"
import type { Catalogue } from "./create-catalogue.js"
import type { Allow } from "./filter.js"
import type { Reached } from "./view.js"

/** Follows a path link by link, through those that are there now and may be known of; the empty path is the root. */
export function reach(catalogue: Catalogue, path: Path, allow: Allow): Reached | undefined {
  let reached: Reached = { service: catalogue.service, path: [] }
  for (const key of path) {
    const link = catalogue.link([...reached.path, key])
    if (link === undefined || allow?.(link) === false) return undefined
    reached = { service: link.service, path: link.canonical }
  }
  return reached
}
