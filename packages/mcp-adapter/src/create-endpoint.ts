import type { View } from "./catalogue/view.js"
import type { McpAdapter } from "./create-adapter.js"
import type { Connection, Endpoint } from "./endpoint.js"
import { createDynamicExposure } from "./exposures/dynamic.js"
import type { StateMode } from "./exposures/state-mode.js"
import { toCapabilities } from "./handlers/capabilities.js"
import { checkExtension } from "./handlers/check-extension.js"
import { createHandlers } from "./handlers/create-handlers.js"
import type { Extension } from "./handlers/extension.js"
import type { HandlerOptions } from "./handlers/handler-options.js"
import type { Handlers } from "./handlers/handlers.js"
import { mergeNotices } from "./handlers/merge-notices.js"
import { createSubscriptions } from "./handlers/subscriptions.js"

/** How one server shows an adapter; every `serveX` takes these. */
export interface EndpointOptions {
  /** What a client may tell its model about the server, in a paragraph. Default: the adapter tells nothing. */
  readonly instructions?: string
  /** How states reach the client. Default `both`: as resources and through the tool `get_state`. */
  readonly states?: StateMode
  /** Whether there is the tool `run_action`, for clients that never list again. Default `true`. */
  readonly runAction?: boolean
  /** Whether there is the tool `list_links`. Default `true`. */
  readonly listLinks?: boolean
  /** The most items on a page of a list. Default 1,000. */
  readonly pageSize?: number
  /** The rest of MCP on the same server: prompts, completion, logging, tools and resources of your own. Default: nothing. */
  readonly extension?: Extension
}

/**
 * An adapter as one kind of server shows it.
 *
 * @throws AdapterError `invalid_option` when the extension answers what is not its to answer.
 */
export function createEndpoint(adapter: McpAdapter, options: EndpointOptions = {}): Endpoint {
  const { core, ledger, name, version } = adapter
  const { states = "both", runAction = true, listLinks = true, pageSize = 1_000, extension } = options
  checkExtension(extension)
  const exposure = createDynamicExposure({ states, runAction, links: listLinks })
  // Handlers hold nothing but their view, so one set serves all its connections.
  const handlers = new WeakMap<View, { readonly options: HandlerOptions; readonly handlers: Handlers }>()
  const handlersOf = (view: View): { readonly options: HandlerOptions; readonly handlers: Handlers } => {
    const known = handlers.get(view)
    if (known !== undefined) return known
    const { report, shared } = core
    const made = {
      view,
      call: core.caller(view),
      exposure,
      states,
      serverName: name,
      pageSize,
      shared,
      extension,
      report,
    }
    const entry = { options: made, handlers: createHandlers(made) }
    handlers.set(view, entry)
    return entry
  }

  return {
    info: { name, version },
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    capabilities: (leg) => toCapabilities(leg, states, extension),
    notices: (view) => mergeNotices(view.notices, extension?.notices, core.report),
    open(principal): Connection {
      const { view, release } = core.open(principal)
      const shown = handlersOf(view)
      const subscriptions = createSubscriptions(shown.options)
      return {
        view,
        handlers: shown.handlers,
        knows: (tool) => exposure.resolve(view, tool).kind === "built-in" || view.resolve(tool).status !== "unknown",
        subscriptions,
        release() {
          subscriptions.close()
          release()
        },
      }
    },
    ledger,
    clock: core.clock,
    report: core.report,
  }
}
