import { AdapterError } from "./adapter-error.js"
import type { ClientInfo } from "./calls/call-context.js"
import type { View } from "./catalogue/view.js"
import type { EndpointOptions } from "./create-endpoint.js"
import { createExposure } from "./exposures/create-exposure.js"
import type { Exposure } from "./exposures/exposure.js"
import { type ExposureName, exposureNames } from "./exposures/exposure-name.js"
import type { ExposureOptions } from "./exposures/exposure-options.js"
import type { Report } from "./runtime/diagnostic.js"

/** The exposures that one endpoint shows. */
export interface Faces {
  /** What is shown to whom nothing else is chosen for. */
  readonly usual: Exposure
  /** All there are. */
  readonly all: readonly Exposure[]
  /** Chooses for a client; waits until the view is ready. Never rejects. Absent where all are shown the same. */
  readonly choose?: (view: View, client: ClientInfo) => Promise<Exposure>
}

/**
 * Makes the exposures that an endpoint's options ask for.
 *
 * @throws AdapterError `invalid_option` for an exposure that there is not.
 */
export function createFaces(options: EndpointOptions, exposureOptions: ExposureOptions, report: Report): Faces {
  const { exposure = "dynamic", exposureFor } = options
  const made = new Map(exposureNames.map((name) => [name, createExposure(name, exposureOptions)]))
  const usual = made.get(exposure)
  if (usual === undefined) throw new AdapterError("invalid_option", unknownExposure('the option "exposure"', exposure))
  if (exposureFor === undefined) return { usual, all: [usual] }
  const find = (name: ExposureName): Exposure => {
    const found = made.get(name)
    if (found !== undefined) return found
    throw new AdapterError("invalid_option", unknownExposure('the answer of "exposureFor"', name))
  }
  return {
    usual,
    all: [...made.values()],
    async choose(view, client) {
      await view.ready
      try {
        const name = exposureFor(client, { tools: view.known().length })
        return name === undefined ? usual : find(name)
      } catch (cause) {
        const message = `no exposure was chosen for client "${client.name.slice(0, 100)}": it is shown "${exposure}"`
        report({ code: "exposure_unknown", message, cause })
        return usual
      }
    },
  }
}

function unknownExposure(where: string, found: unknown): string {
  const expected = exposureNames.map((name) => `"${name}"`).join(", ")
  return `${where} is "${String(found)}": expected one of ${expected}`
}
