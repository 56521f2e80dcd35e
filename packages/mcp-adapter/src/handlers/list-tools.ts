import { toCacheable } from "./cacheable.js"
import { declareChanges } from "./catch-up/declare-changes.js"
import { takePage } from "./cursor.js"
import type { HandlerOptions } from "./handler-options.js"
import type { Handler } from "./handlers.js"

/** Answers tools/list: what the exposure shows now, sorted by name. */
export function createListTools({ view, exposure, pageSize, shared, catchUp }: HandlerOptions): Handler {
  return async (params, context) => {
    await view.ready
    const keyOf = (tool: { readonly name: string }) => tool.name
    const page = takePage(exposure.list(view), { keyOf, cursor: params["cursor"], size: pageSize })
    const { items, ...next } = page
    const tools = catchUp === undefined ? items : items.map(declareChanges)
    return toCacheable({ tools, ...next }, context, shared)
  }
}
