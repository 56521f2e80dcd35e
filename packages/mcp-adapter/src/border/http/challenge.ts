import { REFUSED } from "../server/rpc-error.js"
import { type Answer, type RequestHead, refuse } from "./exchange.js"

/** Reads the bearer token from a request's `Authorization` header (RFC 6750, 2.1). */
export function readToken({ headers }: RequestHead): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(headers.get("authorization") ?? "")?.[1]
}

/** Creates a refusal with the challenge of RFC 6750 and RFC 9728; without an `error` if the request had no credentials. */
export type Challenge = (
  ...refusal: readonly [status: number, error: string | undefined, reason: string, scopes: readonly string[]]
) => Answer

/** @param metadata - The URL of the metadata document, named in the challenge. */
export function createChallenge(metadata: URL | undefined): Challenge {
  return (...[status, error, reason, scopes]) => {
    const parts = {
      ...(error !== undefined && { error, error_description: reason }),
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(metadata && { resource_metadata: metadata.href }),
    }
    const words = Object.entries(parts).map(([name, value]) => `${name}="${toQuotable(value)}"`)
    return unauthorized(status, `Bearer${words.length > 0 ? " " : ""}${words.join(", ")}`, reason)
  }
}

/** Replaces characters that a quoted header value cannot carry: a verifier's message may be in any language. */
function toQuotable(value: string): string {
  return value.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, "?")
}

/** Creates a refusal with its challenge. */
export function unauthorized(status: number, challenge: string, reason: string): Answer {
  const refusal = refuse(status, {
    code: REFUSED,
    message: `${status === 401 ? "Unauthorized" : "Forbidden"}: ${reason}`,
  })
  return { ...refusal, headers: { ...refusal.headers, "www-authenticate": challenge } }
}
