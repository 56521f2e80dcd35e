import { base } from "./requirements/base.js"
import { notices } from "./requirements/notices.js"
import type { Requirement } from "./requirements/requirement.js"
import { resources } from "./requirements/resources.js"
import { tasks } from "./requirements/tasks.js"
import { tools } from "./requirements/tools.js"
import { transports } from "./requirements/transports.js"

/**
 * All requirements of the specification, of both eras, on our bindings, handlers, names, schemas and notices. Tests cite the
 * ones they prove in brackets after their names; `requirements.test.ts` checks both.
 */
export const requirements: readonly Requirement[] = [
  ...base,
  ...transports,
  ...tools,
  ...tasks,
  ...resources,
  ...notices,
]
