import type { ExposureOptions } from "../exposure-options.js"
import { showsGetState, showsResources } from "../state-mode.js"
import type { BuiltIn } from "./built-in.js"
import { createGetState } from "./get-state.js"
import { createListLinks } from "./list-links.js"
import { createWaitFor } from "./wait-for.js"

/** The tools of our own that look: the same in every exposure, as the options want them. */
export function createStateTools(options: ExposureOptions): readonly BuiltIn[] {
  const { states = "both", links = true, linkUrl, sizeLimit = 100_000, waitFor = false } = options
  const services = linkUrl ? "one" : "any"
  const reading = [
    createGetState({ sizeLimit, services, resources: showsResources(states) }),
    ...(waitFor === false ? [] : [createWaitFor(waitFor === true ? {} : waitFor, { sizeLimit, services })]),
  ]
  return [...(showsGetState(states) ? reading : []), ...(links ? [createListLinks(sizeLimit, linkUrl)] : [])]
}
