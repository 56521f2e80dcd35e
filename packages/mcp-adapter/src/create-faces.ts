import type { AdapterCore } from "./adapter-core.js"
import { AdapterError } from "./adapter-error.js"
import type { ClientInfo } from "./calls/call-context.js"
import type { EndpointOptions } from "./endpoint-options.js"
import type { ActionCall } from "./exposures/built-in.js"
import { createExposure } from "./exposures/create-exposure.js"
import { type Exposure, type ExposureName, type ExposureOptions, exposureNames } from "./exposures/exposure.js"
import type { ViewProfile } from "./profiles.js"
import type { View } from "./views/view.js"

/** Returns the name of the action that a call runs, which may be one of a tool that stands for several items. */
export function toOwnName({ all }: Faces, view: View, call: Pick<ActionCall, "name" | "args">): string {
  const own = all.map(({ items }) => items?.toOwn(view, call)).find((found) => found !== undefined)
  return own !== undefined && "name" in own ? own.name : call.name
}

/** Whether a name is that of a built-in tool, or of one that stands for actions of several items. */
export function isOwnTool(exposure: Exposure, view: View, name: string): boolean {
  return (
    exposure.resolve(view, name).kind === "built-in" || exposure.items?.toOwn(view, { name, args: {} }) !== undefined
  )
}

/** The exposures that one endpoint shows. */
export interface Faces {
  /** The exposure used unless another is chosen. */
  readonly usual: Exposure
  /** All exposures of the endpoint. */
  readonly all: readonly Exposure[]
  /** Returns the exposure of a profile. */
  of(profile: ViewProfile | undefined): Exposure
  /** Chooses the exposure for a client, once the view is ready. Never rejects. Absent if all clients get the same exposure. */
  readonly choose?: (view: View, client: ClientInfo) => Promise<Exposure>
}

/**
 * Creates the exposures that an endpoint's options ask for.
 *
 * @throws AdapterError `invalid_option` for an unknown exposure.
 */
export function createFaces(
  options: EndpointOptions,
  exposureOptions: ExposureOptions,
  { host: { report }, profiles }: Pick<AdapterCore, "host" | "profiles">,
): Faces {
  const { exposure = "dynamic", exposureFor } = options
  const made = new Map(exposureNames.map((name) => [name, createExposure(name, exposureOptions)]))
  const usual = made.get(exposure)
  if (usual === undefined) throw unknownExposure('the option "exposure"', exposure)
  const all = exposureFor === undefined && profiles === undefined ? [usual] : [...made.values()]
  const of = (profile: ViewProfile | undefined): Exposure => made.get(profile?.exposure ?? exposure) ?? usual
  if (exposureFor === undefined) return { usual, all, of }
  const find = (name: ExposureName): Exposure => {
    const found = made.get(name)
    if (found !== undefined) return found
    throw unknownExposure('the answer of "exposureFor"', name)
  }
  return {
    usual,
    all,
    of,
    async choose(view, client) {
      await view.ready()
      try {
        const grouped = made.get("grouped")?.items?.count(view)
        const name = exposureFor(client, { tools: view.known().length, ...(grouped !== undefined && { grouped }) })
        return name === undefined ? usual : find(name)
      } catch (cause) {
        const message = `"exposureFor" failed for the client "${client.name.slice(0, 100)}": using the exposure "${exposure}"`
        report({ code: "exposure_unknown", message, cause }, view.id)
        return usual
      }
    },
  }
}

function unknownExposure(where: string, found: unknown): AdapterError {
  const expected = exposureNames.map((name) => `"${name}"`).join(", ")
  return new AdapterError(`${where} is "${String(found)}": expected one of ${expected}`, { code: "invalid_option" })
}
