import type { ServerEventBus } from "@modelcontextprotocol/server"
import type { ClientInfo } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { ServerNotice } from "../../handlers/extension.js"
import type { Handler } from "../../handlers/handler.js"
import { type Clock, subscribeIn } from "../../runtime/host.js"
import type { View } from "../../views/view.js"

/** What tells a client that something has changed: the server of either SDK. */
export interface NoticeSender {
  /** The tools are others now. */
  sendToolListChanged(): Promise<void>
  /** The prompts are others now. */
  sendPromptListChanged(): Promise<void>
  /** The resources are others now. */
  sendResourceListChanged(): Promise<void>
  /** A resource has another value. */
  sendResourceUpdated(params: { uri: string }): Promise<void>
}

/** Where notices go. */
interface NoticeTarget {
  /** A connected server. */
  readonly server: NoticeSender
  /** Its client. */
  readonly caller: Caller
  /** What a legacy client says it is. */
  readonly clientInfo?: ClientInfo | undefined
  /** Runs when the view is gone, so that there is nothing left to serve. */
  ended(): void
}

/**
 * Sends the notices that the leg promises over one connected server until it is stopped. A legacy client gets the updates
 * it subscribed to; a modern one gets everything, because the SDK filters by its listen streams.
 *
 * @returns Stops it; idempotent.
 */
export function deliverNotices(
  endpoint: Endpoint,
  connection: Connection,
  { server, caller, clientInfo, ended }: NoticeTarget,
): () => void {
  const capabilities = endpoint.capabilities(caller.leg)
  const wanted = (notice: ServerNotice): boolean => {
    if (notice.kind !== "updated") return capabilities[notice.kind]?.listChanged === true
    const { resources } = capabilities
    return resources?.subscribe === true && (caller.leg.era === "modern" || connection.subscriptions.has(notice.uri))
  }
  const subscription = subscribeIn(endpoint.host.ledger, connection.notices(clientInfo), {
    next: (notice) => {
      if (!wanted(notice)) return
      send(server, notice).catch((cause: unknown) =>
        endpoint.host.report({
          code: "transport_failed",
          message: `a notice of kind "${notice.kind}" was not sent`,
          cause,
        }),
      )
    },
    complete: ended,
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
  const subscription = subscribeIn(endpoint.host.ledger, endpoint.notices(view), {
    next: (notice) => {
      if (notice.kind === "updated") to.bus.publish({ kind: "resource_updated", uri: notice.uri })
      else to.bus.publish({ kind: `${notice.kind}_list_changed` })
    },
    complete: to.ended,
  })
  return () => subscription.unsubscribe()
}

async function send(server: NoticeSender, notice: ServerNotice): Promise<void> {
  switch (notice.kind) {
    case "tools":
      return server.sendToolListChanged()
    case "prompts":
      return server.sendPromptListChanged()
    case "resources":
      return server.sendResourceListChanged()
    case "updated":
      return server.sendResourceUpdated({ uri: notice.uri })
  }
}

/** On one pipe, what a call changed is noticed before the call is answered, where a notice is due. */
export function afterNotices(endpoint: Endpoint, handler: Handler): Handler {
  return async (params, context) => {
    const result = await handler(params, context)
    if (context.leg.transport !== "http") await settled(endpoint.host.clock)
    return result
  }
}

/** Resolves once the current task, and what settles with it, has ended. */
export function settled(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.settle(resolve)
  })
}
