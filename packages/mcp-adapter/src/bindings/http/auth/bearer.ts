import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  buildOAuthProtectedResourceMetadata,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  type OAuthMetadata,
  type OAuthTokenVerifier,
  oauthMetadataResponse,
  verifyBearerToken,
} from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Authenticate } from "./authenticate.js"

/** What {@link bearer} accepts. */
export interface BearerOptions {
  /**
   * Looks a token up, or checks its signature; throws an `OAuthError` with `invalid_token` for one that is not good, whose
   * message the caller reads. It has to fill in `expiresAt` and `resource`, the token's audience: a token without either
   * is refused.
   */
  readonly verifier: OAuthTokenVerifier
  /** The URL of the endpoint as clients know it. Tokens for anything else are refused (RFC 8707). */
  readonly resource: URL
  /** Says who a token stands for. The token is not in what it makes; `clientId` is an application, not a person. */
  readonly toPrincipal: (token: Omit<AuthInfo, "token">) => Principal
  /** What every token must allow; others are refused with 403. Default: nothing. */
  readonly requiredScopes?: readonly string[]
  /**
   * What the authorization server says about itself (RFC 8414). With it, refusals name the document that tells clients
   * where to get a token (RFC 9728), and it is served to anybody at its well-known path. Default: neither.
   */
  readonly authorizationServer?: OAuthMetadata
}

/**
 * Accepts bearer tokens by the SDK's checks: signature or record by the verifier, audience, expiry and scopes. Strangers
 * get 401, those who may too little 403, each with a challenge (2026-07-28, basic/authorization).
 *
 * @throws Error when `authorizationServer` has an issuer that is neither https nor local.
 */
export function bearer(options: BearerOptions): Authenticate {
  const { verifier, resource, toPrincipal, requiredScopes = [], authorizationServer } = options
  const challenge = {
    requiredScopes: [...requiredScopes],
    ...(authorizationServer && { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource) }),
  }
  const documents = authorizationServer && {
    oauthMetadata: authorizationServer,
    resourceServerUrl: resource,
    scopesSupported: [...requiredScopes],
  }
  if (documents) buildOAuthProtectedResourceMetadata(documents)
  return async (request) => {
    const document = documents && oauthMetadataResponse(request, documents)
    if (document) return document
    try {
      const header = request.headers.get("authorization")
      const { token: _, ...known } = await verifyBearerToken(header, {
        verifier,
        expectedResource: resource,
        ...challenge,
      })
      return toPrincipal(known)
    } catch (error) {
      if (error instanceof OAuthError) return bearerAuthChallengeResponse(error, challenge)
      throw error
    }
  }
}
