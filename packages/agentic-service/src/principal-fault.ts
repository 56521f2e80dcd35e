import { isRecord, showShort } from "@x/base"

/**
 * Finds the fault of a principal from untyped code, such as a token's claim passed on unchanged. Returns `undefined` for a
 * valid one.
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
  if (typeof id !== "string") return `its "id" is ${showShort(id)}: expected a string that identifies the principal`
  if (claims !== undefined && !isRecord(claims)) return `its "claims" is ${showShort(claims)}: expected an object`
  const fault = scopes === undefined ? undefined : findScopesFault(scopes)
  return fault && `its "scopes" is ${fault}`
}

/**
 * Finds the fault of a list of scopes. Returns `undefined` for a valid one, else the value found and the one expected.
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
  // An OAuth scope contains no space (RFC 6749, 3.3). An item with a space is a whole claim, which would match no scope.
  const odd = scopes.find((scope) => typeof scope !== "string" || scope === "" || /\s/.test(scope))
  if (odd === undefined && !scopes.includes(undefined)) return undefined
  return `a list with ${showShort(odd)}: expected one scope in each item, such as ${example(odd)}`
}

/** Shows the probably intended value. */
function example(found: unknown): string {
  const words = typeof found === "string" ? found.trim().split(/\s+/).slice(0, 2) : []
  const meant = words.some((word) => word !== "") ? words : ["read", "write"]
  return `[${meant.map((word) => JSON.stringify(word.slice(0, 40))).join(", ")}]`
}
