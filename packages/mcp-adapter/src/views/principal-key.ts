import type { Principal } from "@x/agentic-service"

/** What tells one class of callers from another: the id, and the scopes, which may differ between two tokens of one id. */
export function principalKey(principal: Principal | undefined): string {
  if (principal === undefined) return ""
  return JSON.stringify([principal.id, [...(principal.scopes ?? [])].sort()])
}
