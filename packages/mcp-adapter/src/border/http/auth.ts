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
import { sha256 } from "@noble/hashes/sha2.js"
import type { Principal } from "@x/agentic-service"
import { refuse } from "./http-exchange.js"

/**
 * Says who sends a request, by its headers alone, or gives the answer that ends it: a refusal, or a document that anybody
 * may read. A throw is our fault: it is reported, and answered with 500. The body is not to be read.
 */
export type Authenticate = (request: Request) => Principal | Response | Promise<Principal | Response>

/** Tells an answer by what it lacks, because a host may have a `Response` of its own. */
export function isAnswer(who: Principal | Response | undefined): who is Response {
  return who !== undefined && !("id" in who)
}

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
