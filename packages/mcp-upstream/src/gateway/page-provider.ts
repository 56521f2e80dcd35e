import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client"
import { UpstreamError } from "../upstream-error.js"
import type { GatewayServer } from "./gateway-config.js"
import { sameIssuer } from "./oauth-client.js"

/** The stored sign-in of a server, valid for its exact URL only. */
export interface Kept {
  readonly url?: string
  /** The client's registered redirect URL. */
  readonly back?: string
  readonly client?: StoredOAuthClientInformation
  readonly tokens?: StoredOAuthTokens
  /** The authorization server that accepted the client of the file. */
  readonly bound?: { readonly clientId: string; readonly issuer: string }
  /** The scopes required beyond the token's. */
  readonly wanted?: readonly string[]
}

/** A server's stored sign-in. */
export interface KeptSignIn {
  read(): Kept
  /** Stores changed parts. */
  keep(change: { readonly [Key in keyof Kept]: Kept[Key] | undefined }): void
}

/** How the client gets to the page and back. */
export interface Way {
  readonly back: string
  readonly open: (url: URL) => void
  readonly state: string
  /** The requested scopes. Default: those of the former token. */
  readonly asked?: string | undefined
}

/** Creates the SDK's provider of a sign-in by a page, with the client of the file or the registered one. */
export function toPageProvider(
  { read, keep }: KeptSignIn,
  { oauth }: GatewayServer,
  { back, open, state, asked }: Way,
): OAuthClientProvider {
  const { clientId, clientSecret, scope, issuer } = oauth || {}
  let verifier = ""
  // With an issuer in the file, the server's own choice of an authorization server does not matter.
  let discovered: OAuthDiscoveryState | undefined =
    issuer === undefined ? undefined : { authorizationServerUrl: issuer }
  return {
    redirectUrl: back,
    clientMetadata: {
      client_name: "mcp-gateway",
      redirect_uris: [back],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: clientSecret === undefined ? "none" : "client_secret_post",
      ...(scope && { scope }),
    },
    state: () => state,
    clientInformation(context) {
      const { client, bound } = read()
      if (clientId === undefined) return client
      const mine = issuer ?? (bound?.clientId === clientId ? bound.issuer : context?.issuer)
      if (mine !== undefined && context !== undefined && !sameIssuer(mine, context.issuer)) throw toMoved(mine)
      return {
        client_id: clientId,
        ...(clientSecret && { client_secret: clientSecret }),
        ...(mine !== undefined && { issuer: mine }),
      }
    },
    saveClientInformation: (client) => keep({ client, back }),
    tokens: () => read().tokens,
    saveTokens(tokens, context) {
      // A token without a scope has the requested one, or the former one (RFC 6749, 5.1 and 6).
      const scope = tokens.scope ?? asked ?? read().tokens?.scope
      keep({
        tokens: { ...tokens, ...(scope !== undefined && { scope }) },
        ...(clientId !== undefined && context !== undefined && { bound: { clientId, issuer: context.issuer } }),
      })
    },
    redirectToAuthorization: open,
    saveCodeVerifier(made) {
      verifier = made
    },
    codeVerifier: () => verifier,
    // The code is sent only to the authorization server that showed the page.
    saveDiscoveryState(state) {
      discovered = state
    },
    discoveryState: () => discovered,
  }
}

/** Creates the refusal to send the file's client to another authorization server than before. */
function toMoved(issuer: string): UpstreamError {
  return new UpstreamError(
    `it names another authorization server than ${issuer}, for which its client was used before`,
    {
      code: "unauthorized",
      remedy: "if that is intended, set oauth.issuer in the file to the new one, then sign in again",
    },
  )
}
