import { sha256 } from "@noble/hashes/sha2.js"
import type { Principal } from "@x/agentic-service"
import { AdapterError } from "../../adapter-error.js"
import { sameBytes } from "../../runtime/same-bytes.js"
import { REFUSED } from "../server/rpc-error.js"
import { type Answer, type RequestHead, refuse } from "./exchange.js"

/**
 * Says who sends a request, by its head alone, or gives the answer that ends it. A throw is our fault: it is reported, and
 * answered with 500. The body is not to be read.
 */
export interface Authenticate {
  (head: RequestHead): AuthAnswer | Promise<AuthAnswer>
  /** What anybody may read below `/.well-known/`, such as where tokens are given; `undefined` for what there is not. */
  readonly documents?: (head: RequestHead) => Answer | undefined
  /** The answer to who may too little, and the scopes that would be enough; a plain 403 without it. */
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
  const find = typeof keys === "function" ? keys : createFind(keys)
  return async ({ headers }) => {
    const key = headers.get(KEY_HEADER)
    if (key === null) return unauthorized(401, KEY_CHALLENGE, `the header "${KEY_HEADER}" is missing`)
    return (await find(key)) ?? unauthorized(401, KEY_CHALLENGE, `the key in the header "${KEY_HEADER}" is not known`)
  }
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

/** The token of a header (RFC 6750, 2.1). */
export function readToken({ headers }: RequestHead): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(headers.get("authorization") ?? "")?.[1]
}

/** Refuses with the challenge that RFC 6750 and RFC 9728 want; no `error` where there were no credentials. */
export type Challenge = (
  ...refusal: readonly [status: number, error: string | undefined, reason: string, scopes: readonly string[]]
) => Answer

/** @param metadata - Where clients read who gives tokens; named in the challenge. */
export function createChallenge(metadata: URL | undefined): Challenge {
  return (...[status, error, reason, scopes]) => {
    const parts = {
      ...(error !== undefined && { error, error_description: reason }),
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(metadata && { resource_metadata: metadata.href }),
    }
    const words = Object.entries(parts).map(([name, value]) => `${name}="${value.replaceAll(/["\\]/g, "'")}"`)
    return unauthorized(status, `Bearer${words.length > 0 ? " " : ""}${words.join(", ")}`, reason)
  }
}

function unauthorized(status: number, challenge: string, reason: string): Answer {
  const refusal = refuse(status, {
    code: REFUSED,
    message: `${status === 401 ? "Unauthorized" : "Forbidden"}: ${reason}`,
  })
  return { ...refusal, headers: { ...refusal.headers, "www-authenticate": challenge } }
}
