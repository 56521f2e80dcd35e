import { isBranded } from "../brand.js"
import type { AgenticService } from "../service.js"
import { ServiceError } from "../service-error.js"

/** Stub until the foreign kinds land. */
export function toAgenticService(candidate: unknown): AgenticService {
  if (isService(candidate)) return candidate
  throw new ServiceError(`found ${typeof candidate}, expected a service`, { code: "not_a_service" })
}

function isService(candidate: unknown): candidate is AgenticService {
  return isBranded(candidate)
}
