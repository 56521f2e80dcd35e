import type { ClientInfo } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { ServerNotice } from "../../handlers/extension.js"
import type { Handler } from "../../handlers/handler.js"
import { type Clock, subscribeIn } from "../../runtime/host.js"
import type { Hearing } from "../../runtime/listening-client.js"

/** The destination of notices. */
interface NoticeTarget {
  /** Sends a notice; an error is reported. */
  send(notice: ServerNotice): void | Promise<void>
  /** The receiving client. */
  readonly caller: Caller
  /** A legacy client's name and version. */
  readonly clientInfo?: ClientInfo | undefined
  /** Runs when the view is closed. */
  ended(): void
}

/**
 * Sends a legacy client the notices that its leg announces, and updates of the resources it subscribed to.
 *
 * @returns Stops the delivery; idempotent.
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

/** Returns a notice's method and parameters. */
export function toNotification(notice: ServerNotice): {
  readonly method: string
  readonly params?: { readonly uri: string }
} {
  if (notice.kind === "updated") return { method: "notifications/resources/updated", params: { uri: notice.uri } }
  return { method: `notifications/${notice.kind}/list_changed` }
}

/** Formats a notice as JSON text. */
export function formatNotice(notice: ServerNotice): string {
  return JSON.stringify({ jsonrpc: "2.0", ...toNotification(notice) })
}

/**
 * Wraps a method's handler so that, on a pipe, a due notice about a call's changes is sent before the call's answer. Every path
 * to a handler uses it: the lane, the SDK's server and the binding for SDK v1.
 */
export function afterNotices({ host }: Pick<Endpoint, "host">, method: string, handler: Handler): Handler {
  if (method !== "tools/call") return handler
  return async (params, context) => {
    const result = await handler(params, context)
    if (context.leg.transport !== "http") await settled(host.clock)
    return result
  }
}

/** Resolves after the current task and the changes that settle with it. */
export function settled(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.settle(resolve)
  })
}
