import type { Principal } from "@x/agentic-service"
import { compareText, isRecord, toJson } from "@x/base"

/**
 * Returns a key that is equal for principals who see the same: the id, the scopes and the claims. Two tokens of one id may have
 * different scopes, and an application's service or rule may depend on claims. Claims that change with every token are left out.
 *
 * @example
 * ```ts
 * import { principalKey } from "@x/mcp-adapter/binding"
 *
 * const one = principalKey({ id: "ada", scopes: ["read", "write"] })
 * const other = principalKey({ id: "ada", scopes: ["write", "read"] })
 * console.log(one === other, one === principalKey({ id: "ada" })) // true false
 * ```
 */
export function principalKey(principal: Principal | undefined): string {
  if (principal === undefined) return ""
  const { id, scopes = [], claims } = principal
  const scoped = [id, [...scopes].sort()]
  const lasting = Object.entries(claims ?? {}).filter(([name]) => !OF_ONE_TOKEN.has(name))
  return JSON.stringify(lasting.length === 0 ? scoped : [...scoped, toSorted(lasting)])
}

/**
 * Returns a key that is equal for the tokens of one principal, whatever their scopes: what such a principal owns is checked
 * against the scopes of the token that asks for it. Other claims, such as a tenant's, are those of another principal.
 */
export function ownerKey({ id, claims }: Principal): string {
  return principalKey({ id, ...(claims && { claims }) })
}

/** Registered claims that differ in each token of one person (RFC 7519, 4.1; OpenID Connect Core 1.0, 2). */
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

/** Sorts members, so that equal JSON gives equal results in any order. */
function toSorted(entries: readonly (readonly [string, unknown])[]): unknown {
  return [...entries].sort(([a], [b]) => compareText(a, b)).map(([name, value]) => [name, toComparable(toJson(value))])
}
