import type { ClientInfo } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { ServerNotice } from "../../handlers/extension.js"
import type { Handler } from "../../handlers/handler.js"
import { type Clock, subscribeIn } from "../../runtime/host.js"
import type { Hearing } from "../../runtime/listening-client.js"

/** Where notices go. */
interface NoticeTarget {
  /** Sends one; what it throws, or rejects with, is reported. */
  send(notice: ServerNotice): void | Promise<void>
  /** Its client. */
  readonly caller: Caller
  /** What a legacy client says it is. */
  readonly clientInfo?: ClientInfo | undefined
  /** Runs when the view is gone, so that there is nothing left to serve. */
  ended(): void
}

/**
 * Sends a legacy client the notices that its leg promises until it is stopped: of updates, those it subscribed to.
 *
 * @returns Stops it; idempotent.
 */
export function deliverNotices(
  endpoint: Endpoint,
  connection: Connection,
  { send, caller, clientInfo, ended }: NoticeTarget,
): () => void {
  const capabilities = endpoint.capabilities(caller.leg)
  const wanted = (notice: ServerNotice): boolean => {
    if (notice.kind !== "updated") return capabilities[notice.kind]?.listChanged === true
    const { resources } = capabilities
    return resources?.subscribe === true && connection.subscriptions().has(notice.uri)
  }
  const sendIt = async (notice: ServerNotice): Promise<void> => send(notice)
  const subscription = subscribeIn(endpoint.host.ledger, connection.notices(clientInfo), {
    next: (notice) => {
      if (!wanted(notice)) return
      sendIt(notice).catch((cause: unknown) =>
        endpoint.host.report(
          { code: "transport_failed", message: `a notice of kind "${notice.kind}" was not sent`, cause },
          connection.view.id,
        ),
      )
    },
    complete: ended,
  })
  const kinds = (["tools", "resources", "prompts"] as const).filter((kind) => capabilities[kind]?.listChanged === true)
  const { ledger } = endpoint.host
  const hears = (): Hearing => ({ kinds, uris: connection.subscriptions().all() })
  const view = connection.view.id
  subscription.add(ledger.listen({ view, ...caller, ...(clientInfo && { info: clientInfo }), hears }))
  return () => subscription.unsubscribe()
}

/** A notice as a method and its parameters. */
export function toNotification(notice: ServerNotice): {
  readonly method: string
  readonly params?: { readonly uri: string }
} {
  if (notice.kind === "updated") return { method: "notifications/resources/updated", params: { uri: notice.uri } }
  return { method: `notifications/${notice.kind}/list_changed` }
}

/** A notice as the text of a message. */
export function formatNotice(notice: ServerNotice): string {
  return JSON.stringify({ jsonrpc: "2.0", ...toNotification(notice) })
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
