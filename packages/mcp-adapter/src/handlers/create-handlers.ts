import { showsResources } from "../exposures/state-mode.js"
import { createCallTool } from "./call-tool.js"
import { extendHandlers } from "./extend-handlers.js"
import { guardHandlers } from "./guard.js"
import type { HandlerOptions } from "./handler-options.js"
import type { Handlers } from "./handlers.js"
import { createListResourceTemplates } from "./list-resource-templates.js"
import { createListResources } from "./list-resources.js"
import { createListTools } from "./list-tools.js"
import { createReadResource } from "./read-resource.js"

/** What each MCP method answers in one view, whatever the connection; no method that the state mode leaves out. */
export function createHandlers(options: HandlerOptions): Handlers {
  const handlers: Handlers = { "tools/list": createListTools(options), "tools/call": createCallTool(options) }
  const all = showsResources(options.states) ? { ...handlers, ...createResourceHandlers(options) } : handlers
  return guardHandlers(extendHandlers(guardHandlers(all, options.report), options.extension), options.report)
}

function createResourceHandlers(options: HandlerOptions): Handlers {
  return {
    "resources/list": createListResources(options),
    "resources/templates/list": createListResourceTemplates(options),
    "resources/read": createReadResource(options),
  }
}
