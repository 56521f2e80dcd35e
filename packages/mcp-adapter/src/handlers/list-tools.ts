import { memoise } from "@x/tool-schemas"
import type { ToolDefinition } from "../catalogue/entry.js"
import { declareChanges } from "./call-tool.js"
import type { Handler } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { toCacheable } from "./page.js"
import { createToolPages } from "./tool-pages.js"

/** Answers tools/list: what the exposure shows now, sorted by name. */
export function createListTools(options: HandlerOptions): Handler {
  const { view, exposure, calls, pageSize, shared, catchUp } = options
  const hint = createSizeHint(options.maxResultChars)
  const declare = catchUp === undefined ? hint : (tool: ToolDefinition) => hint(declareChanges(tool))
  const legacy = createToolPages(pageSize, exposure.ownNames, declare)
  const modern = createToolPages(pageSize, exposure.ownNames, (tool) => declare(withoutExecution(tool)))
  return async (params, context) => {
    await view.ready()
    const takePage = context.leg.era === "modern" ? modern : legacy
    const { items: tools, ...next } = takePage(exposure.list(view), params["cursor"])
    calls.acquaintance.listed(view, context, tools)
    return toCacheable({ tools, ...next }, context, shared)
  }
}

/** Takes out what a foreign definition may have and the newer revision has not (2026-07-28, server/tools, Tool). */
function withoutExecution(tool: ToolDefinition): ToolDefinition {
  if (!("execution" in tool)) return tool
  const { execution: _, ...rest } = tool
  return Object.freeze(rest)
}

/** Tells a host that cuts results how much more is meant, in its vendor's words; what hosts take anyway is not said. */
function createSizeHint(chars: number): (tool: ToolDefinition) => ToolDefinition {
  if (chars <= USUAL_RESULT_CHARS) return (tool) => tool
  // What the vendor takes at most.
  const size = { "anthropic/maxResultSizeChars": Math.min(chars, 500_000) }
  return memoise((tool) => Object.freeze({ ...tool, _meta: Object.freeze({ ...tool._meta, ...size }) }))
}

/** How many characters of a result reach a model, where nothing else is said: hosts cut at 25,000 tokens, of two characters and more. */
export const USUAL_RESULT_CHARS = 50_000
