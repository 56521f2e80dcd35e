import type { ExposureOf } from "./frame.js"

/** Every exposure, in the order they are offered. */
export const exposures: readonly ExposureOf[] = ["dynamic", "stable", "meta"]
