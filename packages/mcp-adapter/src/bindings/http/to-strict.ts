import type { HttpExchange } from "./http-exchange.js"

/**
 * Puts right what bare `curl` and hand-written clients leave out, where nothing is lost by it, so that the SDK takes it. All
 * leniency of the stateless leg is here. The content type stays required: it is what makes a browser ask first.
 */
export function toStrict({ request, body }: HttpExchange): Pick<HttpExchange, "request" | "body"> {
  return { request: withAccept(request), body: toStrictMessage(body) }
}

/** The SDK answers 406 unless both types are accepted; here the answer is JSON, whatever was asked for. */
function withAccept({ url, method, headers, signal }: Request): Request {
  const accepting = new Headers(headers)
  accepting.set("accept", "application/json, text/event-stream")
  return new Request(url, { method, headers: accepting, signal })
}

function toStrictMessage(message: unknown): unknown {
  if (typeof message !== "object" || message === null || !("method" in message)) return message
  if (message.method === "initialize") return withIntroduction(message)
  return isNotification(message.method) ? withoutId(message) : message
}

/** All three are required (2025-11-25, basic/lifecycle). A version that does not exist is answered with the latest. */
function withIntroduction(initialize: object): object {
  const given = "params" in initialize ? initialize.params : {}
  const unsaid = { protocolVersion: "", capabilities: {}, clientInfo: { name: "unknown", version: "unknown" } }
  return { ...initialize, params: { ...unsaid, ...(typeof given === "object" && given) } }
}

function isNotification(method: unknown): boolean {
  return typeof method === "string" && method.startsWith("notifications/")
}

/** With an id it would be a request, for a method that does not exist; without, it is accepted with a 202. */
function withoutId(notification: object): object {
  return Object.fromEntries(Object.entries(notification).filter(([name]) => name !== "id"))
}
