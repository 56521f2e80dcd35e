import { sha256 } from "@noble/hashes/sha2.js"
import type { Principal } from "@x/agentic-service"
import { showShort } from "@x/tool-schemas/json"
import { AdapterError } from "../../adapter-error.js"
import { checkGivenPrincipal, checkPrincipal, runCallback } from "../../runtime/callback.js"
import { sameBytes } from "../../runtime/same-bytes.js"
import { createChallenge, readToken, unauthorized } from "./challenge.js"
import type { Answer, RequestHead } from "./exchange.js"

/**
 * Says who sends a request, by its head alone, or gives the answer that ends it. A throw that says that the credentials are no
 * good, by the type or code that the usual token libraries give their errors, or by a `status` of 401 or 403, is answered so;
 * any other is reported, and answered with 500. The body is not to be read.
 */
export interface Authenticate {
  (head: RequestHead): AuthAnswer | Promise<AuthAnswer>
  /** What anybody may read below `/.well-known/`, such as where tokens are given; `undefined` for what there is not. */
  readonly documents?: (head: RequestHead) => Answer | undefined
  /**
   * The answer to who may too little for what it asks, with the scopes that would be enough, what it holds among them. Without
   * it, the call is answered with a failure.
   */
  readonly challenge?: (scopes: readonly string[]) => Answer
}

/** Whom `authenticate` lets in, or the answer that refuses the request. */
export type AuthAnswer = Principal | Admission | Response | Answer

/** Who was let in, and for how long. */
export interface Admission {
  /** Who it is. */
  readonly principal: Principal
  /** When that ends: streams that are open then are ended. Default: never. */
  readonly expires?: Date | undefined
  /** Whether it still holds; asked about once a minute while a stream is open, which ends with `false`. Default: it does. */
  readonly holds?: (() => boolean | Promise<boolean>) | undefined
}

/** Who a key stands for; `undefined` for one that is not good. */
export type FindKey = (key: string) => Principal | undefined | Promise<Principal | undefined>

/**
 * Accepts keys in the header `X-API-Key`; any other request is a 401.
 *
 * @param keys - The keys and who they stand for, of which only hashes are kept, compared in constant time; or a function that finds one where they are stored.
 */
export function apiKeys(keys: ReadonlyMap<string, Principal> | FindKey): Authenticate {
  const find = typeof keys === "function" ? keys : createFind(checkKeys(keys))
  return async ({ headers }) => {
    const key = headers.get(KEY_HEADER)
    if (key === null) return unauthorized(401, KEY_CHALLENGE, `the header "${KEY_HEADER}" is missing`)
    const found = await runCallback("apiKeys", () => find(key))
    if (found !== undefined && found !== null) return checkPrincipal("apiKeys", found)
    return unauthorized(401, KEY_CHALLENGE, `the key in the header "${KEY_HEADER}" is not known`)
  }
}

/** @throws AdapterError `invalid_option` for what is no map, or a key that stands for no principal. */
function checkKeys(keys: ReadonlyMap<string, Principal>): ReadonlyMap<string, Principal> {
  if (!(keys instanceof Map))
    throw new AdapterError(
      "invalid_option",
      `the keys of "apiKeys" are ${showShort(keys)}: expected a Map from key to principal, or a function that finds one`,
    )
  for (const principal of keys.values()) checkGivenPrincipal("apiKeys", principal)
  return keys
}

const KEY_HEADER = "X-API-Key"
const KEY_CHALLENGE = 'ApiKey realm="mcp"'

/**
 * Accepts one token that does not change, as `Authorization: Bearer …`, which every client can be told to send; any other
 * request is a 401. Only its hash is kept, compared in constant time.
 *
 * @param token - The secret; long and random, because it is all it takes.
 * @param principal - Whom it stands for. Default: one with the id `owner`.
 * @throws AdapterError `invalid_option` for a token that cannot be sent, or has fewer than 16 characters.
 */
export function bearerToken(token: string, principal: Principal = { id: "owner" }): Authenticate {
  checkGivenPrincipal("bearerToken", principal)
  if (!/^[A-Za-z0-9._~+/-]{16,}=*$/.test(token)) {
    const message =
      "the token is too short, or has characters that a header cannot: expected 16 or more of A-Z a-z 0-9 . _ ~ + / -"
    throw new AdapterError("invalid_option", message)
  }
  const find = createFind(new Map([[token, principal]]))
  const challenge = createChallenge(undefined)
  return async (head) => {
    const given = readToken(head)
    if (given === undefined) return challenge(401, undefined, "a bearer token is missing", [])
    return (await find(given)) ?? challenge(401, "invalid_token", "the token is not known", [])
  }
}

function createFind(keys: ReadonlyMap<string, Principal>): FindKey {
  const known = [...keys].map(([key, principal]) => ({ hash: toHash(key), principal }))
  return (key) => {
    const hash = toHash(key)
    // Every one is looked at, so that the time tells nothing about which one it is.
    const found = known.filter((candidate) => sameBytes(candidate.hash, hash))
    return found[0]?.principal
  }
}

function toHash(key: string): Uint8Array {
  return sha256(new TextEncoder().encode(key))
}
