/**
 * Reads from a message which resources a `subscriptions/listen` asks to hear of (2026-07-28,
 * basic/patterns/subscriptions); `undefined` when the message is anything else. What is not a URI is left out: the SDK refuses it.
 */
export function listenedUris(message: unknown): readonly string[] | undefined {
  if (field(message, "method") !== "subscriptions/listen") return undefined
  const uris = field(field(field(message, "params"), "notifications"), "resourceSubscriptions")
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : []
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
}
