import {
  type AuthProvider,
  auth,
  ClientCredentialsProvider,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  type OAuthClientProvider,
  OAuthError,
} from "@modelcontextprotocol/client"
import { UpstreamError } from "../upstream-error.js"
import type { MachineClient } from "./oauth-client.js"
import { createRenewedTokens, type UnauthorizedContext } from "./renewed-tokens.js"

/**
 * Creates a provider that obtains tokens with the client's own credentials (RFC 6749, section 4.4). No person signs in. The
 * secret is sent only to the client's issuer, whatever the server names.
 */
export function createClientTokens({ clientId, clientSecret, issuer, scope }: MachineClient): AuthProvider {
  const own = { clientId, clientSecret, expectedIssuer: issuer, clientName: "mcp-gateway", ...(scope && { scope }) }
  const provider: OAuthClientProvider = new ClientCredentialsProvider(own)
  provider.discoveryState = () => ({ authorizationServerUrl: issuer })
  const renew = async ({ response, serverUrl, fetchFn }: UnauthorizedContext): Promise<void> => {
    const { resourceMetadataUrl, scope: required } = extractWWWAuthenticateParams(response)
    const asked = scope ?? required
    await auth(provider, {
      serverUrl,
      fetchFn,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(asked !== undefined && { scope: asked }),
    }).catch((cause: unknown) => {
      throw toRefusal(cause)
    })
  }
  let current: string | undefined
  const save = provider.saveTokens.bind(provider)
  provider.saveTokens = (tokens, context) => {
    current = tokens.access_token
    return save(tokens, context)
  }
  return createRenewedTokens({ token: () => current, renew })
}

/** Converts refusals, which another attempt would meet again. Other errors may pass. */
function toRefusal(cause: unknown): unknown {
  if (cause instanceof OAuthError)
    return new UpstreamError(`its authorization server gives no token (${cause.code})`, {
      code: "unauthorized",
      cause,
      remedy: "correct clientId, clientSecret and scope under oauth in the file",
    })
  if (cause instanceof IssuerMismatchError)
    return new UpstreamError("its authorization server calls itself otherwise than oauth.issuer", {
      code: "unauthorized",
      cause,
      remedy: "set oauth.issuer to the issuer in that server's metadata",
    })
  return cause
}
