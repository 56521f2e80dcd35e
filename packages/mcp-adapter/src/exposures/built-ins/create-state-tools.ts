import type { ExposureOptions } from "../exposure-options.js"
import { showsGetState } from "../state-mode.js"
import type { BuiltIn } from "./built-in.js"
import { createGetState } from "./get-state.js"
import { createListLinks } from "./list-links.js"

/** The tools of our own that look: the same in every exposure, as the options want them. */
export function createStateTools(options: ExposureOptions): readonly BuiltIn[] {
  const { states = "both", links = true, linkUrl, sizeLimit = 100_000 } = options
  return [
    ...(showsGetState(states) ? [createGetState(sizeLimit, linkUrl ? "one" : "any")] : []),
    ...(links ? [createListLinks(sizeLimit, linkUrl)] : []),
  ]
}
