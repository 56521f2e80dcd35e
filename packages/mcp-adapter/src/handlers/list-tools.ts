import { toCacheable } from "./cacheable.js"
import { takePage } from "./cursor.js"
import type { HandlerOptions } from "./handler-options.js"
import type { Handler } from "./handlers.js"

/** Answers tools/list: what the exposure shows now, sorted by name. */
export function createListTools({ view, exposure, pageSize, shared }: HandlerOptions): Handler {
  return async (params, context) => {
    await view.ready
    const keyOf = (tool: { readonly name: string }) => tool.name
    const page = takePage(exposure.list(view), { keyOf, cursor: params["cursor"], size: pageSize })
    const { items: tools, ...next } = page
    return toCacheable({ tools, ...next }, context, shared)
  }
}
