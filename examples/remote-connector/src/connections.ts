import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"
import type { TokenVerifier } from "@x/mcp-adapter/http"

/** A host's record, after its person has signed in. */
export interface Connected {
  /** The host's client id at the authorization server. */
  readonly client: string
  /** The time of its first request, as an ISO date. */
  readonly since: string
  /** The time of its latest request, as an ISO date. */
  readonly seen: string
}

/** The hosts that are connected for each person, which people can list and disconnect. */
export interface Connections {
  /** Checks tokens with the given verifier, records their hosts, and rejects hosts that the person has disconnected. */
  readonly verifier: TokenVerifier
  /** Returns the hosts of a person. */
  of(user: string): readonly Connected[]
  /**
   * Disconnects a host: its tokens are rejected, it cannot refresh them, and its streams end within a minute. It may ask the
   * person again.
   */
  end(user: string, client: string): Promise<void>
}

/** A person's grant to a host: its id at the authorization server, and the host's record. */
interface Host extends Connected {
  readonly grants: ReadonlySet<string>
}

/**
 * Creates the record of connected hosts.
 *
 * @param verifier - Checks signature and audience. `extra` has `sub`, the person's id, and `grant`, the grant's id, which is the
 *   same in every token of the grant, refreshed ones included.
 * @param revoke - Revokes a grant at the authorization server, which then issues no more tokens.
 */
export function createConnections(verifier: TokenVerifier, revoke: (grant: string) => Promise<void>): Connections {
  // A product stores both in its database.
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
