import type { Principal } from "@x/agentic-service"
import { compareText, isRecord, toJson } from "@x/tool-schemas/json"

/**
 * Returns what tells one class of callers from another: the id, the scopes, which may differ between two tokens of one id, and the
 * claims, since a service or a rule made for a principal may go by them. Claims that change with every token are left out.
 */
export function principalKey(principal: Principal | undefined): string {
  if (principal === undefined) return ""
  const { id, scopes = [], claims } = principal
  const scoped = [id, [...scopes].sort()]
  const lasting = Object.entries(claims ?? {}).filter(([name]) => !OF_ONE_TOKEN.has(name))
  return JSON.stringify(lasting.length === 0 ? scoped : [...scoped, toSorted(lasting)])
}

/** Registered claims that are another in each token of the same person (RFC 7519, 4.1; OpenID Connect Core 1.0, 2). */
const OF_ONE_TOKEN: ReadonlySet<string> = new Set([
  "exp",
  "iat",
  "nbf",
  "jti",
  "auth_time",
  "nonce",
  "at_hash",
  "uti",
  "aio",
  "rh",
  "c_hash",
])

function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComparable)
  return isRecord(value) ? toSorted(Object.entries(value)) : value
}

/** Equal JSON in whatever order its names are written. */
function toSorted(entries: readonly (readonly [string, unknown])[]): unknown {
  return [...entries].sort(([a], [b]) => compareText(a, b)).map(([name, value]) => [name, toComparable(toJson(value))])
}
