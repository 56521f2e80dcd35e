import type { ClientInfo } from "../calls/call-context.js"
import type { ExposureName } from "./exposure-name.js"

/**
 * Chooses the exposure of one legacy connection, once, by what its client says it is; `undefined` leaves it as the
 * endpoint has it. A throw is reported and does the same.
 */
export type ExposureFor = (client: ClientInfo, about: ExposureFacts) => ExposureName | undefined

/** What else a choice of exposure may depend on. */
export interface ExposureFacts {
  /** How many tools are known to the client, those of our own left out. */
  readonly tools: number
}
