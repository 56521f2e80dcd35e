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
  /**
   * Ends what a host may: its tokens are good for nothing any more, neither are those that it would get for them, and its streams
   * end within a minute. It may ask the person again.
   */
  end(user: string, client: string): Promise<void>
}

/** What a person granted to a host, by its name at the authorization server; and what is seen of that host. */
interface Host extends Connected {
  readonly grants: ReadonlySet<string>
}

/**
 * Notes who is connected.
 *
 * @param verifier - Checks signature and audience; `extra` holds `sub`, the person, and `grant`, what they granted: the same in every
 *   token that comes of it, also by refreshing.
 * @param revoke - Ends a grant at the authorization server, so that nothing comes of it any more.
 */
export function createConnections(verifier: TokenVerifier, revoke: (grant: string) => Promise<void>): Connections {
  // In a product both are in the database.
  const connected = new Map<string, Map<string, Host>>()
  const ended = new Set<string>()
  return {
    verifier: {
      async verifyAccessToken(token) {
        const known = await verifier.verifyAccessToken(token)
        const [user, grant] = [String(known.extra?.["sub"]), String(known.extra?.["grant"])]
        if (ended.has(grant)) throw new OAuthError(OAuthErrorCode.InvalidToken, "the person has ended this connection")
        const hosts = connected.get(user) ?? new Map<string, Host>()
        const { since, grants = [] } = hosts.get(known.clientId) ?? {}
        const now = new Date().toISOString()
        const host = { client: known.clientId, since: since ?? now, seen: now, grants: new Set([...grants, grant]) }
        connected.set(user, hosts.set(known.clientId, host))
        return known
      },
    },
    of: (user) => [...(connected.get(user)?.values() ?? [])].map(({ grants: _, ...host }) => host),
    async end(user, client) {
      const grants = connected.get(user)?.get(client)?.grants ?? []
      connected.get(user)?.delete(client)
      for (const grant of grants) ended.add(grant)
      await Promise.all([...grants].map(revoke))
    },
  }
}
