import type { CallContext, ClientInfo, Leg } from "../../calls/call-context.js"

/** What a legacy client said it is when it connected; nothing for a modern one, whatever it says. */
export function clientInfoOf(
  { era }: Leg,
  server: { getClientVersion(): ClientInfo | undefined },
): Pick<CallContext, "clientInfo"> | undefined {
  const clientInfo = era === "legacy" ? server.getClientVersion() : undefined
  return clientInfo && { clientInfo }
}
