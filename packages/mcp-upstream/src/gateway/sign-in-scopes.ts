import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client"
import { UpstreamError } from "../upstream-error.js"

/** The most scopes stored for a server, which may invent any number. */
const MOST_SCOPES = 50

/** The stored scopes that a server has required beyond its token's. */
interface WantedScopes {
  /** Returns the stored scopes. */
  wanted(): readonly string[]
  /** Stores other ones. */
  want(scopes: readonly string[]): void
  /** Returns the way to obtain them. */
  remedy(): string
}

/** Returns a `fetch` that stores the scopes that a response requires, and rejects with the way to obtain them. */
export function sendNotingScopes({ wanted, want, remedy }: WantedScopes): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { error, scope } = response.status === 403 ? extractWWWAuthenticateParams(response) : {}
    if (error !== "insufficient_scope") return response
    await response.body?.cancel()
    const needed = toScopes(scope?.slice(0, 1_000))
    const all = toScopes([...wanted(), ...needed].join(" ")).slice(0, MOST_SCOPES)
    if (all.length > wanted().length) want(all)
    const found = needed.length === 0 ? "other scopes" : `the scopes ${JSON.stringify(needed.join(" "))}`
    throw new UpstreamError(`it requires ${found}, which the sign-in did not obtain`, {
      code: "unauthorized",
      remedy: remedy(),
    })
  }
}

/** Splits a text into scopes, each once. */
export function toScopes(text = ""): readonly string[] {
  return [...new Set(text.split(" "))].filter((scope) => scope !== "")
}
