import type { Report } from "../runtime/diagnostic.js"
import type { ToolEntry } from "./entry.js"

/** Creates the report of what publishing an action's schema loses, once for each schema. */
export function createLostReport(report: Report): (entry: ToolEntry) => void {
  const reports = [createLoosenedReport(report), createHeaderReport(report)]
  return (entry) => {
    for (const tell of reports) tell(entry)
  }
}

/**
 * Creates a report of schema parts that clients get as prose only. Each schema is reported once, however often its action comes
 * and goes. Calls are checked against the full schema.
 */
function createLoosenedReport(report: Report): (entry: ToolEntry) => void {
  const told = new WeakSet<object>()
  return ({ schema, changes, path, key }) => {
    const loose = changes.filter(({ how }) => how !== "rewritten")
    if (loose.length === 0 || typeof schema !== "object" || told.has(schema)) return
    told.add(schema)
    const places = loose.slice(0, SHOWN).map((change) => `"${change.keyword}" at "${change.path}"`)
    const more = loose.length > SHOWN ? ` and ${loose.length - SHOWN} more` : ""
    report({
      code: "schema_loosened",
      message: `action "${key}" is published with ${places.join(", ")}${more} as prose only: choose another "publish.profile" if your clients support more`,
      path,
      key,
    })
  }
}

const SHOWN = 5

/** Creates a report of actions published without their schema's `x-mcp-header`, once per schema. */
function createHeaderReport(report: Report): (entry: ToolEntry) => void {
  const told = new WeakSet<object>()
  return ({ schema, headerFault, path, key }) => {
    if (headerFault === undefined || typeof schema !== "object" || told.has(schema)) return
    told.add(schema)
    const message = `action "${key}" is published without "x-mcp-header", so clients send no argument as a header: ${headerFault}`
    report({ code: "header_unpublishable", message, path, key })
  }
}
