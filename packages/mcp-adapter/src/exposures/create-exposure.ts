import { createDynamicExposure } from "./dynamic.js"
import type { Exposure } from "./exposure.js"
import type { ExposureName } from "./exposure-name.js"
import type { ExposureOptions } from "./exposure-options.js"
import { createMetaExposure } from "./meta.js"
import { createStableExposure } from "./stable.js"

/** Makes an exposure by its name. */
export function createExposure(name: ExposureName, options: ExposureOptions): Exposure {
  return create[name](options)
}

const create: Readonly<Record<ExposureName, (options: ExposureOptions) => Exposure>> = {
  dynamic: createDynamicExposure,
  meta: createMetaExposure,
  stable: createStableExposure,
}
