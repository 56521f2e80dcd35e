import { showsResources } from "../exposures/state-mode.js"
import { createCallTool, createListTools } from "./call-tool.js"
import type { Extension } from "./extension.js"
import { guardHandlers, type Handler, type Handlers, METHOD_NOT_FOUND, ProtocolError } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { createListResources, createListResourceTemplates, createReadResource } from "./resources.js"

/** What each MCP method answers in one view, whatever the connection; no method that the state mode leaves out. */
export function createHandlers(options: HandlerOptions): Handlers {
  const handlers: Handlers = { "tools/list": createListTools(options), "tools/call": createCallTool(options) }
  const all = showsResources(options.states) ? { ...handlers, ...createResourceHandlers(options) } : handlers
  return guardHandlers(extendHandlers(guardHandlers(all, options.host.report), options.extension), options.host.report)
}

function createResourceHandlers(options: HandlerOptions): Handlers {
  return {
    "resources/list": createListResources(options),
    "resources/templates/list": createListResourceTemplates(options),
    "resources/read": createReadResource(options),
  }
}

/** Puts an extension's handlers in the place of ours, which they are given to call. */
function extendHandlers(own: Handlers, { methods = {} }: Extension = {}): Handlers {
  const extended = Object.entries(methods).map(([method, extend]) => [method, extend(own[method] ?? notFound)] as const)
  return { ...own, ...Object.fromEntries(extended) }
}

const notFound: Handler = async () => {
  throw new ProtocolError(METHOD_NOT_FOUND, "Method not found")
}
