import { sha256 } from "@noble/hashes/sha2.js"
import type { Principal } from "@x/agentic-service"
import { showShort } from "@x/base"
import { AdapterError } from "../../adapter-error.js"
import { checkGivenPrincipal, checkPrincipal, runCallback } from "../../runtime/callback.js"
import { sameBytes } from "../../runtime/same-bytes.js"
import { createChallenge, readToken, unauthorized } from "./challenge.js"
import type { Answer, RequestHead } from "./exchange.js"

/**
 * Identifies the sender of a request by its head alone, or returns the answer that refuses it. A throw that reports bad
 * credentials, by the error type or code of a common token library or by a `status` of 401 or 403, is answered with that
 * status. Any other throw is reported and answered with 500. The function must not read the body.
 */
export interface Authenticate {
  (head: RequestHead): AuthAnswer | Promise<AuthAnswer>
  /** Returns a public document below `/.well-known/`, such as the OAuth metadata; `undefined` if there is none at that path. */
  readonly documents?: (head: RequestHead) => Answer | undefined
  /**
   * Returns the answer to a caller whose scopes are insufficient. It gets the scopes that would be enough, including those that
   * the caller has. Default: the call is answered with a failure.
   */
  readonly challenge?: (scopes: readonly string[]) => Answer
}

/** The caller whom `authenticate` lets in, or the answer that refuses the request. */
export type AuthAnswer = Principal | Admission | Response | Answer

/** An admitted caller, and for how long. */
export interface Admission {
  /** The caller. */
  readonly principal: Principal
  /** The end of the admission: streams still open then are ended. Default: never. */
  readonly expires?: Date | undefined
  /** Whether the admission still holds. Asked about once a minute while a stream is open; `false` ends it. Default: always. */
  readonly holds?: (() => boolean | Promise<boolean>) | undefined
}

/** Returns the principal that a key belongs to; `undefined` for an unknown key. */
export type FindKey = (key: string) => Principal | undefined | Promise<Principal | undefined>

/**
 * Accepts keys in the header `X-API-Key`; any other request gets a 401.
 *
 * @param keys - The keys and their principals, of which only hashes are kept and compared in constant time; or a function that
 * looks a key up in your own store.
 * @example
 * ```ts
 * import { apiKeys } from "@x/mcp-adapter/http"
 *
 * // Pass it to a server: serveHttp(adapter, { authenticate })
 * const authenticate = apiKeys(new Map([["key-of-ada", { id: "ada", scopes: ["read"] }]]))
 * const headers = { "x-api-key": "key-of-ada" }
 * console.log(await authenticate(new Request("http://localhost/mcp", { headers }))) // { id: 'ada', scopes: [ 'read' ] }
 * ```
 */
export function apiKeys(keys: ReadonlyMap<string, Principal> | FindKey): Authenticate {
  const find = typeof keys === "function" ? keys : createFind(checkKeys(keys))
  return async ({ headers }) => {
    const key = headers.get(KEY_HEADER)
    if (key === null)
      return unauthorized(401, KEY_CHALLENGE, `the header "${KEY_HEADER}" is missing: send your key in it`)
    const found = await runCallback("apiKeys", () => find(key))
    if (found !== undefined && found !== null) return checkPrincipal("apiKeys", found)
    return unauthorized(401, KEY_CHALLENGE, `the key in the header "${KEY_HEADER}" is not known`)
  }
}

/** @throws AdapterError `invalid_option` for anything but a map, or for a key without a valid principal. */
function checkKeys(keys: ReadonlyMap<string, Principal>): ReadonlyMap<string, Principal> {
  if (!(keys instanceof Map))
    throw new AdapterError(
      `the keys of "apiKeys" are ${showShort(keys)}: expected a Map from key to principal, or a function that finds one`,
      { code: "invalid_option" },
    )
  for (const principal of keys.values()) checkGivenPrincipal("apiKeys", principal)
  return keys
}

const KEY_HEADER = "X-API-Key"
const KEY_CHALLENGE = 'ApiKey realm="mcp"'

/**
 * Accepts one fixed token, sent as `Authorization: Bearer …`, which every client can be configured to send. Any other request
 * gets a 401. Only the token's hash is kept, compared in constant time.
 *
 * @param token - The secret. Make it long and random, because it is the only credential.
 * @param principal - The token's principal. Default: one with the id `owner`.
 * @throws AdapterError `invalid_option` for a token that cannot be sent in a header, or has fewer than 16 characters.
 * @example
 * ```ts
 * import { bearerToken } from "@x/mcp-adapter/http"
 *
 * // Pass it to a server: serveHttp(adapter, { authenticate })
 * const authenticate = bearerToken("a-long-random-secret")
 * const headers = { authorization: "Bearer a-long-random-secret" }
 * console.log(await authenticate(new Request("http://localhost/mcp", { headers }))) // { id: 'owner' }
 * ```
 */
export function bearerToken(token: string, principal: Principal = { id: "owner" }): Authenticate {
  checkGivenPrincipal("bearerToken", principal)
  if (!/^[A-Za-z0-9._~+/-]{16,}=*$/.test(token)) {
    const message =
      "the token is too short, or has characters that a header cannot carry: expected 16 or more of A-Z a-z 0-9 . _ ~ + / -"
    throw new AdapterError(message, { code: "invalid_option" })
  }
  const find = createFind(new Map([[token, principal]]))
  const challenge = createChallenge(undefined)
  return async (head) => {
    const given = readToken(head)
    if (given === undefined)
      return challenge(401, undefined, "the bearer token is missing: send it as Authorization: Bearer <token>", [])
    return (await find(given)) ?? challenge(401, "invalid_token", "the token is not known", [])
  }
}

function createFind(keys: ReadonlyMap<string, Principal>): FindKey {
  const known = [...keys].map(([key, principal]) => ({ hash: toHash(key), principal }))
  return (key) => {
    const hash = toHash(key)
    // Compares every key, so that the time taken does not depend on which one matches.
    const found = known.filter((candidate) => sameBytes(candidate.hash, hash))
    return found[0]?.principal
  }
}

function toHash(key: string): Uint8Array {
  return sha256(new TextEncoder().encode(key))
}
