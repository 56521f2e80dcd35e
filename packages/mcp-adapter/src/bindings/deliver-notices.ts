import type { Server, ServerEventBus } from "@modelcontextprotocol/server"
import type { Notice, View } from "../catalogue/view.js"
import type { Caller, Connection, Endpoint } from "../endpoint.js"
import { subscribeIn } from "../runtime/ledger.js"

/**
 * Sends the notices that the leg promises over one connected server until it is stopped. A legacy client gets the updates
 * it subscribed to; a modern one gets everything, because the SDK filters by its listen streams.
 *
 * @returns Stops it; idempotent.
 */
export function deliverNotices(
  endpoint: Endpoint,
  connection: Connection,
  to: { readonly server: Server; readonly caller: Caller },
): () => void {
  const { server, caller } = to
  const { tools, resources } = endpoint.capabilities(caller.leg)
  const wanted = (notice: Notice): boolean => {
    if (notice.kind === "tools") return tools.listChanged === true
    if (notice.kind === "resources") return resources?.listChanged === true
    return resources?.subscribe === true && (caller.leg.era === "modern" || connection.subscriptions.has(notice.uri))
  }
  const subscription = subscribeIn(endpoint.ledger, connection.view.notices, {
    next: (notice) => {
      if (!wanted(notice)) return
      send(server, notice).catch((cause: unknown) =>
        endpoint.report({ code: "transport_failed", message: `a notice of kind "${notice.kind}" was not sent`, cause }),
      )
    },
    // The view is gone, so there is nothing left to serve.
    complete: () => void server.close(),
  })
  return () => subscription.unsubscribe()
}

/**
 * Publishes a view's notices to the modern listen streams of one SDK handler until the view is released.
 *
 * @returns Stops it; idempotent.
 */
export function publishNotices(
  endpoint: Endpoint,
  view: View,
  to: { readonly bus: ServerEventBus; ended(): void },
): () => void {
  const subscription = subscribeIn(endpoint.ledger, view.notices, {
    next: (notice) => {
      if (notice.kind === "tools") to.bus.publish({ kind: "tools_list_changed" })
      else if (notice.kind === "resources") to.bus.publish({ kind: "resources_list_changed" })
      else to.bus.publish({ kind: "resource_updated", uri: notice.uri })
    },
    complete: to.ended,
  })
  return () => subscription.unsubscribe()
}

async function send(server: Server, notice: Notice): Promise<void> {
  if (notice.kind === "tools") return server.sendToolListChanged()
  if (notice.kind === "resources") return server.sendResourceListChanged()
  return server.sendResourceUpdated({ uri: notice.uri })
}
