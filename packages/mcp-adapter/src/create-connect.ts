import { defer, from, type Observable, switchMap } from "rxjs"
import type { ClientInfo } from "./calls/call-context.js"
import type { View } from "./catalogue/view.js"
import type { McpAdapter } from "./create-adapter.js"
import type { EndpointOptions } from "./create-endpoint.js"
import type { Faces } from "./create-faces.js"
import type { Connection } from "./endpoint.js"
import type { Exposure } from "./exposures/exposure.js"
import { resolveCatchUp } from "./handlers/catch-up/catch-up-options.js"
import { createHandlers } from "./handlers/create-handlers.js"
import type { ServerNotice } from "./handlers/extension.js"
import type { HandlerOptions } from "./handlers/handler-options.js"
import type { Handler, Handlers } from "./handlers/handlers.js"
import { mergeNotices } from "./handlers/merge-notices.js"
import { createSubscriptions } from "./handlers/subscriptions.js"
import type { ViewLease } from "./views/create-views.js"

/** Makes connections; those that show the same of one view share what holds nothing but the view. */
export function createConnect(
  adapter: McpAdapter,
  options: EndpointOptions,
  faces: Faces,
): (lease: ViewLease) => Connection {
  const { report } = adapter.core
  const show = createShow(adapter, options)
  return ({ view, release }) => {
    const usual = show(view, faces.usual)
    const subscriptions = createSubscriptions(usual.options)
    const chosen = createChoice(view, faces)
    const noticesOf = (exposure: Exposure): Observable<ServerNotice> =>
      mergeNotices(exposure.notices(view), options.extension?.notices, report)
    return {
      view,
      handlers:
        chosen === undefined
          ? usual.handlers
          : choosing(usual.handlers, async (client) => show(view, await chosen(client)).handlers),
      knows: (tool) => faces.all.some((face) => isBuiltIn(face, view, tool)) || view.resolve(tool).status !== "unknown",
      notices: (client) =>
        chosen === undefined || client === undefined
          ? noticesOf(faces.usual)
          : defer(() => from(chosen(client))).pipe(switchMap(noticesOf)),
      subscriptions,
      release() {
        subscriptions.close()
        release()
      },
    }
  }
}

/** What answers in one view, as one exposure shows it. */
interface Shown {
  readonly options: HandlerOptions
  readonly handlers: Handlers
}

function createShow(
  { core, name, ledger }: McpAdapter,
  given: EndpointOptions,
): (view: View, exposure: Exposure) => Shown {
  const { states = "both", pageSize = 1_000, maxResultSize = 10_000_000, extension } = given
  const { report, shared, clock } = core
  const made = new WeakMap<View, Map<Exposure, Shown>>()
  const make = (view: View, exposure: Exposure): Shown => {
    const calls = { call: core.caller(view), callOwn: core.ownCaller(view), hold: () => core.hold(view) }
    const changes = { catchUp: resolveCatchUp(given.catchUp), settle: given.settle, clock, ledger }
    const lists = { pageSize, maxResultSize, shared }
    const options = { view, ...calls, exposure, states, serverName: name, ...lists, ...changes, extension, report }
    return { options, handlers: createHandlers(options) }
  }
  return (view, exposure) => {
    const ofView = made.get(view) ?? new Map<Exposure, Shown>()
    made.set(view, ofView)
    const shown = ofView.get(exposure) ?? make(view, exposure)
    ofView.set(exposure, shown)
    return shown
  }
}

/** One connection has one client, so the choice is made once; a list that changed its face would be another list. */
function createChoice(view: View, { choose }: Faces): ((client: ClientInfo) => Promise<Exposure>) | undefined {
  if (choose === undefined) return undefined
  let choice: Promise<Exposure> | undefined
  return (client) => {
    choice ??= choose(view, client)
    return choice
  }
}

/** The usual handlers for whoever does not say what they are. */
function choosing(usual: Handlers, find: (client: ClientInfo) => Promise<Handlers>): Handlers {
  const choose =
    (method: string, handler: Handler): Handler =>
    async (params, context) => {
      const { clientInfo } = context
      const handlers = clientInfo === undefined ? undefined : await find(clientInfo)
      return (handlers?.[method] ?? handler)(params, context)
    }
  return Object.fromEntries(Object.entries(usual).map(([method, handler]) => [method, choose(method, handler)]))
}

function isBuiltIn(exposure: Exposure, view: View, tool: string): boolean {
  return exposure.resolve(view, tool).kind === "built-in"
}
