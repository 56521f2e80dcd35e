import { resourceUriTemplate } from "../names/resource-uri.js"
import { toCacheable } from "./cacheable.js"
import { takePage } from "./cursor.js"
import type { HandlerOptions } from "./handler-options.js"
import type { Handler } from "./handlers.js"

/** Answers resources/templates/list: one template that covers every state, listed or still to come. */
export function createListResourceTemplates({ serverName, pageSize, shared }: HandlerOptions): Handler {
  const template = {
    uriTemplate: resourceUriTemplate(serverName),
    name: "state",
    description: "A state, by the path of links to its service and its key",
  }
  return async (params, context) => {
    const keyOf = ({ uriTemplate }: typeof template) => uriTemplate
    const { items, ...next } = takePage([template], { keyOf, cursor: params["cursor"], size: pageSize })
    return toCacheable({ resourceTemplates: items, ...next }, context, shared)
  }
}
