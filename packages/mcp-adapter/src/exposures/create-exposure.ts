import { createDynamicExposure } from "./dynamic.js"
import type { Exposure } from "./exposure.js"
import type { ExposureOptions } from "./exposure-options.js"
import { createMetaExposure } from "./meta.js"
import { createStableExposure } from "./stable.js"

/**
 * Which face an endpoint shows. `dynamic`: what can be called now; `stable`: everything that is known, always, and what
 * cannot be called now says why when it is called; `meta`: a few fixed tools that find actions and run them.
 */
export type ExposureName = "dynamic" | "stable" | "meta"

/** Makes an exposure by its name. */
export function createExposure(name: ExposureName, options: ExposureOptions): Exposure {
  return create[name](options)
}

const create: Readonly<Record<ExposureName, (options: ExposureOptions) => Exposure>> = {
  dynamic: createDynamicExposure,
  meta: createMetaExposure,
  stable: createStableExposure,
}
