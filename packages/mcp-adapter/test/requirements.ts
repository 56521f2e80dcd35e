import { base } from "./requirements/base.js"
import { notices } from "./requirements/notices.js"
import type { Requirement } from "./requirements/requirement.js"
import { resources } from "./requirements/resources.js"
import { tools } from "./requirements/tools.js"
import { transports } from "./requirements/transports.js"

/**
 * Everything that the specification asks of what our bindings, handlers, names, schemas and notices answer for, of either
 * era. Tests cite what they prove in brackets at the end of their names; `requirements.test.ts` holds both together.
 */
export const requirements: readonly Requirement[] = [...base, ...transports, ...tools, ...resources, ...notices]
