import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"
import type { TokenVerifier } from "@x/mcp-adapter/http"

/** A host that has signed in for somebody. */
export interface Connected {
  /** Which host: its client id at the authorization server. */
  readonly client: string
  /** When it first came, as an ISO date. */
  readonly since: string
  /** When it last came. */
  readonly seen: string
}

/** Who is connected for whom; what a person looks at, and ends. */
export interface Connections {
  /** Checks tokens as before, notes who comes, and refuses those that the person has ended. */
  readonly verifier: TokenVerifier
  /** The hosts of a person. */
  of(user: string): readonly Connected[]
  /** Ends what a host may: its tokens are good for nothing any more, and its streams end within a minute. It may sign in again. */
  end(user: string, client: string): void
}

/**
 * Notes who is connected.
 *
 * @param verifier - Checks signature and audience; `extra` holds `sub`, the person, and `iat`, when the token was made, in seconds.
 */
export function createConnections(verifier: TokenVerifier): Connections {
  const connected = new Map<string, Map<string, Connected>>()
  // In a product this is in the database, and the grant is revoked at the authorization server as well.
  const ended = new Map<string, number>()
  return {
    verifier: {
      async verifyAccessToken(token) {
        const known = await verifier.verifyAccessToken(token)
        const user = String(known.extra?.["sub"])
        const made = Number(known.extra?.["iat"] ?? 0)
        if (made <= (ended.get(keyOf(user, known.clientId)) ?? -1))
          throw new OAuthError(OAuthErrorCode.InvalidToken, "the person has ended this connection")
        const hosts = connected.get(user) ?? new Map<string, Connected>()
        const now = new Date().toISOString()
        hosts.set(known.clientId, { client: known.clientId, since: hosts.get(known.clientId)?.since ?? now, seen: now })
        connected.set(user, hosts)
        return known
      },
    },
    of: (user) => [...(connected.get(user)?.values() ?? [])],
    end(user, client) {
      ended.set(keyOf(user, client), Math.floor(Date.now() / 1_000))
      connected.get(user)?.delete(client)
    },
  }
}

function keyOf(user: string, client: string): string {
  return JSON.stringify([user, client])
}
