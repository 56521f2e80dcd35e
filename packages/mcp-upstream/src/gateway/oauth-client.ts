import type { JsonSchema } from "@x/agentic-service"

/** An OAuth client at a server's authorization server. */
export interface OAuthClient {
  /** Its id, if already registered. */
  readonly clientId?: string
  /** Its secret, if any. */
  readonly clientSecret?: string
  /** The scopes to request, separated by spaces. Default: those that the server names. */
  readonly scope?: string
  /** The port of the redirect URL on a loopback address. Default: any free one. */
  readonly callbackPort?: number
  /**
   * The authorization server's issuer URL. The client's secret goes to no other. Default: the one that the server names; a client
   * of the file then stays with the first one that accepts it.
   */
  readonly issuer?: string
  /**
   * The way to a token: a person's sign-in, or `client_credentials` for the client itself, without a person. The latter needs
   * `clientId`, `clientSecret` and `issuer`. Default `authorization_code`.
   */
  readonly grant?: "authorization_code" | "client_credentials"
}

/** A client that obtains tokens for itself. */
export type MachineClient = OAuthClient & Required<Pick<OAuthClient, "clientId" | "clientSecret" | "issuer">>

const text = { type: "string" }

/** The schema of an entry's `oauth`. */
export const OAUTH_SCHEMA: JsonSchema = {
  anyOf: [
    { const: false },
    {
      type: "object",
      properties: {
        clientId: text,
        clientSecret: text,
        scope: text,
        callbackPort: { type: "integer", minimum: 1 },
        issuer: text,
        grant: { enum: ["authorization_code", "client_credentials"] },
      },
      additionalProperties: false,
    },
  ],
}

/** Whether a client obtains tokens for itself, so that no person signs in. */
export function isMachine(oauth: false | OAuthClient | undefined): oauth is MachineClient {
  return oauth !== undefined && oauth !== false && oauth.grant === "client_credentials"
}

/** Compares issuers. A `/` at the end makes no difference. */
export function sameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "")
}

/** The parts of an entry that a sign-in depends on. */
interface SignedServer {
  readonly oauth?: false | OAuthClient
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the faults of an entry's `oauth`. */
export function oauthFaults({ oauth, headers = {} }: SignedServer): readonly string[] {
  if (oauth === undefined || oauth === false) return []
  const { issuer, grant, clientId, clientSecret } = oauth
  const isForClient = grant === "client_credentials"
  const needed = Object.entries({ clientId, clientSecret, issuer }).flatMap(([key, value]) =>
    value ? [] : [`"${key}"`],
  )
  const hasToken = Object.keys(headers).some((name) => name.toLowerCase() === "authorization")
  const faults: readonly (readonly [boolean, string])[] = [
    [
      issuer !== undefined && !isSafe(issuer),
      '"issuer": expected a URL of https, or of http on this machine, without a query',
    ],
    [isForClient && needed.length > 0, `the grant "client_credentials" also needs ${needed.join(", ")}`],
    [
      isForClient && hasToken,
      'the grant "client_credentials" has no use beside the header "Authorization": remove one of them',
    ],
  ]
  return faults.flatMap(([found, fault]) => (found ? [fault] : []))
}

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"]

/** Whether a URL may be an issuer (RFC 8414, section 2). A secret never leaves this machine without TLS. */
function isSafe(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { protocol, hostname, search, hash } = new URL(issuer)
  return (
    (protocol === "https:" || (protocol === "http:" && LOOPBACK.includes(hostname))) && search === "" && hash === ""
  )
}
