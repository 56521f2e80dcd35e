import { isRecord, showShort } from "@x/tool-schemas/json"

/**
 * Finds what is wrong with a principal that came from code without types, such as a claim that is handed on as it stands in a
 * token. Returns `undefined` if it is one.
 *
 * @example
 * ```ts
 * import { findPrincipalFault } from "@x/agentic-service/adapter"
 *
 * console.log(findPrincipalFault({ id: "ann", scopes: "read write" }))
 * // its "scopes" is "read write": expected a list of strings, such as ["read", "write"]
 * ```
 */
export function findPrincipalFault(value: unknown): string | undefined {
  if (!isRecord(value)) return `it is ${showShort(value)}: expected an object with an "id"`
  const { id, scopes, claims } = value
  if (typeof id !== "string")
    return `its "id" is ${showShort(id)}: expected a string, which tells this principal from others`
  if (claims !== undefined && !isRecord(claims)) return `its "claims" is ${showShort(claims)}: expected an object`
  const fault = scopes === undefined ? undefined : findScopesFault(scopes)
  return fault && `its "scopes" is ${fault}`
}

/**
 * Finds what is wrong with a list of scopes. Returns `undefined` if nothing is, else what was found and what was expected.
 *
 * @example
 * ```ts
 * import { findScopesFault } from "@x/agentic-service/adapter"
 *
 * console.log(findScopesFault(["read"]), findScopesFault("read")) // undefined "read": expected a list of strings, such as ["read"]
 * ```
 */
export function findScopesFault(scopes: unknown): string | undefined {
  if (!Array.isArray(scopes)) return `${showShort(scopes)}: expected a list of strings, such as ${example(scopes)}`
  // A scope of OAuth has no space (RFC 6749, 3.3): one with a space is a whole claim in one item, which nothing would match.
  const odd = scopes.find((scope) => typeof scope !== "string" || scope === "" || /\s/.test(scope))
  if (odd === undefined && !scopes.includes(undefined)) return undefined
  return `a list with ${showShort(odd)}: expected one scope in each item, such as ${example(odd)}`
}

/** Shows what was probably meant. */
function example(found: unknown): string {
  const words = typeof found === "string" ? found.trim().split(/\s+/).slice(0, 2) : []
  const meant = words.some((word) => word !== "") ? words : ["read", "write"]
  return `[${meant.map((word) => JSON.stringify(word.slice(0, 40))).join(", ")}]`
}
