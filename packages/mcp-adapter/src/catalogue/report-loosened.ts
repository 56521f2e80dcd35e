import type { Report } from "../runtime/diagnostic.js"
import type { ToolEntry } from "./entry.js"

/**
 * Tells the operator what of an action's schema clients have in words only, once for each schema, however often its action
 * comes and goes. Calls are checked against all of it.
 */
export function createLoosenedReport(report: Report): (entry: ToolEntry) => void {
  const told = new WeakSet<object>()
  return ({ schema, changes, path, key }) => {
    const loose = changes.filter(({ how }) => how !== "rewritten")
    if (loose.length === 0 || typeof schema !== "object" || told.has(schema)) return
    told.add(schema)
    const places = loose.slice(0, SHOWN).map((change) => `"${change.keyword}" at "${change.path}"`)
    const more = loose.length > SHOWN ? ` and ${loose.length - SHOWN} more` : ""
    report({
      code: "schema_loosened",
      message: `action "${key}" is published with ${places.join(", ")}${more} in words only: choose another "schemas.profile" if your clients take more`,
      path,
      key,
    })
  }
}

const SHOWN = 5
