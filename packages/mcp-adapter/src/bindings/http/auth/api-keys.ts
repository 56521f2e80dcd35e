import { sha256 } from "@noble/hashes/sha2.js"
import type { Principal } from "@x/agentic-service"
import { refuse } from "../refuse.js"
import type { Authenticate } from "./authenticate.js"

/** Who a key stands for; `undefined` for one that is not good. */
export type FindKey = (key: string) => Principal | undefined | Promise<Principal | undefined>

/**
 * Accepts keys in the header `X-API-Key`; any other request is a 401.
 *
 * @param keys - The keys and who they stand for, of which only hashes are kept, compared in constant time; or a function that finds one where they are stored.
 */
export function apiKeys(keys: ReadonlyMap<string, Principal> | FindKey): Authenticate {
  const find = typeof keys === "function" ? keys : createFind(keys)
  return async (request) => {
    const key = request.headers.get(HEADER)
    if (key === null) return refused(`the header "${HEADER}" is missing`)
    return (await find(key)) ?? refused(`the key in the header "${HEADER}" is not known`)
  }
}

const HEADER = "X-API-Key"

function createFind(keys: ReadonlyMap<string, Principal>): FindKey {
  const known = [...keys].map(([key, principal]) => ({ hash: toHash(key), principal }))
  return (key) => {
    const hash = toHash(key)
    // Every one is looked at, so that the time tells nothing about which one it is.
    const found = known.filter((candidate) => isSame(candidate.hash, hash))
    return found[0]?.principal
  }
}

function toHash(key: string): Uint8Array {
  return sha256(new TextEncoder().encode(key))
}

/** Looks at every byte, for the same reason. */
function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.reduce((difference, byte, index) => difference | (byte ^ (right[index] ?? 0)), 0) === 0
}

function refused(reason: string): Response {
  const response = refuse(401, -32000, `Unauthorized: ${reason}`)
  response.headers.set("www-authenticate", 'ApiKey realm="mcp"')
  return response
}
