import { memoise } from "@x/tool-schemas"
import type { ToolDefinition } from "../catalogue/entry.js"
import { branchesOf } from "../catalogue/long-output.js"
import { declareChanges } from "./declare-changes.js"
import type { Handler } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { toCacheable } from "./page.js"
import { createToolPages } from "./tool-pages.js"

/** Answers tools/list: the exposure's current tools, sorted by name. */
export function createListTools(options: HandlerOptions): Handler {
  const { view, exposure, calls, pageSize, shared, catchUp } = options
  const hint = createSizeHint(options.maxResultChars)
  const output = options.longSchema === "omit" ? withoutLongOutput : (tool: ToolDefinition) => tool
  const changes = catchUp === undefined ? output : (tool: ToolDefinition) => declareChanges(output(tool))
  const declare = (tool: ToolDefinition): ToolDefinition => hint(changes(tool))
  const isOwn = (name: string): boolean => exposure.resolve(view, name).kind === "built-in"
  const legacy = createToolPages(pageSize, isOwn, declare)
  const modern = createToolPages(pageSize, isOwn, (tool) => declare(withoutExecution(tool)))
  const { items } = exposure
  const namesOf = items && ((tool: ToolDefinition) => items.namesOf(view, tool))
  return async (params, context) => {
    await view.ready()
    const takePage = context.leg.era === "modern" ? modern : legacy
    const { items: tools, ...next } = takePage(exposure.list(view), params["cursor"])
    calls.acquaintance.listed(view, context, { tools, namesOf })
    return toCacheable({ tools, ...next }, context, shared)
  }
}

/** Removes a member that foreign definitions may have, but the newer revision lacks (2026-07-28, server/tools, Tool). */
function withoutExecution(tool: ToolDefinition): ToolDefinition {
  if (!("execution" in tool)) return tool
  const { execution: _, ...rest } = tool
  return Object.freeze(rest)
}

/** Removes the output schema of a long action. */
const withoutLongOutput: (tool: ToolDefinition) => ToolDefinition = memoise((tool) => {
  if (branchesOf(tool.outputSchema) === undefined) return tool
  const { outputSchema: _, ...rest } = tool
  return Object.freeze(rest)
})

/** Creates a hint, in its vendor's words, for a host that cuts results. Limits that hosts accept anyway need no hint. */
function createSizeHint(chars: number): (tool: ToolDefinition) => ToolDefinition {
  if (chars <= USUAL_RESULT_CHARS) return (tool) => tool
  // The vendor's maximum.
  const size = { "anthropic/maxResultSizeChars": Math.min(chars, 500_000) }
  return memoise((tool) => Object.freeze({ ...tool, _meta: Object.freeze({ ...tool._meta, ...size }) }))
}

/** Result characters that reach a model by default: hosts cut at 25,000 tokens of two characters and more. */
export const USUAL_RESULT_CHARS = 50_000
