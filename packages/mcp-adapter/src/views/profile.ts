import type { AgenticService } from "@x/agentic-service"
import type { ProfileName } from "@x/tool-schemas"
import { objectKey } from "./object-key.js"

/** The part of a profile that shapes a view. */
export interface ServiceProfile {
  /** The service to show. Default: the adapter's. */
  readonly service?: AgenticService
  /** The profile for input schemas. Default: the adapter's `publish.profile`. */
  readonly schemas?: ProfileName
}

/** Returns a profile's unique key, minted once for each object; empty without a profile. */
export function profileKey(profile: ServiceProfile | undefined): string {
  return profile === undefined ? "" : objectKey(profile)
}
