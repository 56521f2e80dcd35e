import { type AuthInfo, OAuthError, OAuthErrorCode, type OAuthMetadata } from "@modelcontextprotocol/server"
import { sha256 } from "@noble/hashes/sha2.js"
import type { Principal } from "@x/agentic-service"
import { AdapterError } from "../../adapter-error.js"
import { sameBytes } from "../../runtime/same-bytes.js"
import { REFUSED } from "../server/rpc-error.js"
import { type Answer, pathOf, type RequestHead, refuse } from "./exchange.js"

/**
 * Says who sends a request, by its head alone, or gives the answer that ends it. A throw is our fault: it is reported, and
 * answered with 500. The body is not to be read.
 */
export interface Authenticate {
  (head: RequestHead): AuthAnswer | Promise<AuthAnswer>
  /** What anybody may read below `/.well-known/`, such as where tokens are given; `undefined` for what there is not. */
  readonly documents?: (head: RequestHead) => Answer | undefined
  /**
   * The answer to who may too little for what it asks, with the scopes that would be enough, what it holds among them. Without
   * it, the call is answered with a failure.
   */
  readonly challenge?: (scopes: readonly string[]) => Answer
}

/** Whom `authenticate` lets in, or the answer that refuses the request. */
export type AuthAnswer = Principal | Admission | Response | Answer

/** Who was let in, and for how long. */
export interface Admission {
  /** Who it is. */
  readonly principal: Principal
  /** When that ends: streams that are open then are ended. Default: never. */
  readonly expires?: Date | undefined
  /** Whether it still holds; asked about once a minute while a stream is open, which ends with `false`. Default: it does. */
  readonly holds?: (() => boolean | Promise<boolean>) | undefined
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
  return async ({ headers }) => {
    const key = headers.get(KEY_HEADER)
    if (key === null) return unauthorized(401, KEY_CHALLENGE, `the header "${KEY_HEADER}" is missing`)
    return (await find(key)) ?? unauthorized(401, KEY_CHALLENGE, `the key in the header "${KEY_HEADER}" is not known`)
  }
}

const KEY_HEADER = "X-API-Key"
const KEY_CHALLENGE = 'ApiKey realm="mcp"'

/**
 * Accepts one token that does not change, as `Authorization: Bearer …`, which every client can be told to send; any other
 * request is a 401. Only its hash is kept, compared in constant time.
 *
 * @param token - The secret; long and random, because it is all it takes.
 * @param principal - Whom it stands for. Default: one with the id `owner`.
 * @throws AdapterError `invalid_option` for a token that cannot be sent, or has fewer than 16 characters.
 */
export function bearerToken(token: string, principal: Principal = { id: "owner" }): Authenticate {
  if (!/^[A-Za-z0-9._~+/-]{16,}=*$/.test(token)) {
    const message =
      "the token is too short, or has characters that a header cannot: expected 16 or more of A-Z a-z 0-9 . _ ~ + / -"
    throw new AdapterError("invalid_option", message)
  }
  const find = createFind(new Map([[token, principal]]))
  const challenge = createChallenge(undefined)
  return async (head) => {
    const given = readToken(head)
    if (given === undefined) return challenge(401, undefined, "a bearer token is missing", [])
    return (await find(given)) ?? challenge(401, "invalid_token", "the token is not known", [])
  }
}

function createFind(keys: ReadonlyMap<string, Principal>): FindKey {
  const known = [...keys].map(([key, principal]) => ({ hash: toHash(key), principal }))
  return (key) => {
    const hash = toHash(key)
    // Every one is looked at, so that the time tells nothing about which one it is.
    const found = known.filter((candidate) => sameBytes(candidate.hash, hash))
    return found[0]?.principal
  }
}

function toHash(key: string): Uint8Array {
  return sha256(new TextEncoder().encode(key))
}

/** The token of a header (RFC 6750, 2.1). */
function readToken({ headers }: RequestHead): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(headers.get("authorization") ?? "")?.[1]
}

/** Refuses with the challenge that RFC 6750 and RFC 9728 want; no `error` where there were no credentials. */
type Challenge = (
  ...refusal: readonly [status: number, error: string | undefined, reason: string, scopes: readonly string[]]
) => Answer

/** @param metadata - Where clients read who gives tokens; named in the challenge. */
function createChallenge(metadata: URL | undefined): Challenge {
  return (...[status, error, reason, scopes]) => {
    const parts = {
      ...(error !== undefined && { error, error_description: reason }),
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(metadata && { resource_metadata: metadata.href }),
    }
    const words = Object.entries(parts).map(([name, value]) => `${name}="${value.replaceAll(/["\\]/g, "'")}"`)
    return unauthorized(status, `Bearer${words.length > 0 ? " " : ""}${words.join(", ")}`, reason)
  }
}

function unauthorized(status: number, challenge: string, reason: string): Answer {
  const refusal = refuse(status, {
    code: REFUSED,
    message: `${status === 401 ? "Unauthorized" : "Forbidden"}: ${reason}`,
  })
  return { ...refusal, headers: { ...refusal.headers, "www-authenticate": challenge } }
}

/** What {@link bearer} accepts. */
export interface BearerOptions {
  /**
   * Looks a token up, or checks its signature; throws an `OAuthError` with `invalid_token` for one that is not good, whose
   * message the caller reads. It has to fill in `expiresAt`, and the token's audience as `resource` or `audience`: a token
   * without either is refused.
   */
  readonly verifier: TokenVerifier
  /** The URL of the endpoint as clients know it. Tokens for nothing of it are refused (RFC 8707). */
  readonly resource: URL
  /** Says who a token stands for. The token is not in what it makes; `clientId` is an application, not a person. */
  readonly toPrincipal: (token: Omit<VerifiedToken, "token">) => Principal
  /** What every token must allow; others are refused with 403, and the scopes named. Default: nothing. */
  readonly requiredScopes?: readonly string[]
  /**
   * The issuer's URL of the authorization server that gives tokens, or several. With it, refusals name the document that
   * tells clients where to get a token (RFC 9728), and it is served to anybody at its well-known path. Default: neither.
   */
  readonly issuer?: string | URL | readonly (string | URL)[]
  /**
   * What the authorization server says of itself (RFC 8414), to be served here as well, for clients of 2025-03-26, which look
   * for it here. Its `issuer` need not be given again. Default: clients read it where it is.
   */
  readonly authorizationServer?: OAuthMetadata
  /** What people call this endpoint, as the document says it. Default: nothing. */
  readonly resourceName?: string
  /** All scopes there are, as the document says them. Default: `requiredScopes`. */
  readonly scopesSupported?: readonly string[]
  /** Whether the verifier is asked again, about once a minute, for as long as a stream is open, so that it ends with a revoked token. Default `false`. */
  readonly recheck?: boolean
}

/** What a verifier knows of a token. */
export interface VerifiedToken extends AuthInfo {
  /** Whom the token is for, where there are several, or `resource` says nothing: one of them has to be the endpoint. */
  readonly audience?: string | readonly string[]
}

/** Checks tokens; the SDK's verifiers are some. */
export interface TokenVerifier {
  /** {@link BearerOptions.verifier}. */
  verifyAccessToken(token: string): Promise<VerifiedToken>
}

/**
 * Accepts bearer tokens: signature or record by the verifier, audience, expiry and scopes. Strangers get 401, those who may
 * too little 403, each with a challenge (2026-07-28, basic/authorization).
 *
 * @throws AdapterError `invalid_option` for an issuer that is neither https nor local.
 */
export function bearer(options: BearerOptions): Authenticate {
  const { resource, requiredScopes = [], toPrincipal, recheck = false, verifier } = options
  const documents = createDocuments(options)
  const challenge = createChallenge(documents?.url)
  const tooLittle = (scopes: readonly string[]): Answer =>
    challenge(403, OAuthErrorCode.InsufficientScope, "the token allows too little", scopes)
  const refuse = ({ code, message }: OAuthError): Answer => {
    const status = code === OAuthErrorCode.InsufficientScope ? 403 : 401
    return challenge(status, status === 403 ? code : OAuthErrorCode.InvalidToken, message, requiredScopes)
  }
  const admit = async (head: RequestHead): Promise<AuthAnswer> => {
    const token = readToken(head)
    if (token === undefined) return challenge(401, undefined, "a bearer token is missing", requiredScopes)
    try {
      const { token: _, ...known } = await verify(token, { verifier, resource })
      if (!requiredScopes.every((scope) => known.scopes.includes(scope))) return tooLittle(requiredScopes)
      const holds = () => verifier.verifyAccessToken(token).then(() => true, isOtherFault)
      return {
        principal: toPrincipal(known),
        expires: new Date(Number(known.expiresAt) * 1_000),
        ...(recheck && { holds }),
      }
    } catch (error) {
      if (error instanceof OAuthError) return refuse(error)
      throw error
    }
  }
  const forMore = (scopes: readonly string[]): Answer => tooLittle([...new Set([...requiredScopes, ...scopes])])
  return Object.assign(admit, { challenge: forMore, ...(documents && { documents: documents.read }) })
}

/** A verifier that cannot be asked has not said that the token is not good any more. */
function isOtherFault(error: unknown): boolean {
  return !(error instanceof OAuthError)
}

/** @throws OAuthError `invalid_token` for one that is not good, not for this endpoint, or over. */
async function verify(
  token: string,
  { verifier, resource }: Pick<BearerOptions, "verifier" | "resource">,
): Promise<VerifiedToken> {
  const known = await verifier.verifyAccessToken(token)
  const { expiresAt, audience = [] } = known
  if (typeof expiresAt !== "number" || Number.isNaN(expiresAt))
    throw invalidToken("the token does not say when it ends")
  if (expiresAt * 1_000 < Date.now()) throw invalidToken("the token is over")
  const audiences = [...(known.resource === undefined ? [] : [known.resource.href]), ...[audience].flat()]
  if (!audiences.some((named) => isSameResource(named, resource))) throw invalidToken("the token is for something else")
  return known
}

function invalidToken(message: string): OAuthError {
  return new OAuthError(OAuthErrorCode.InvalidToken, message)
}

/** The same but for a slash at the end and what stands behind `#`. */
function isSameResource(named: string, { href }: URL): boolean {
  if (!URL.canParse(named)) return false
  const plain = (url: string): string => url.replace(/#.*$/, "").replace(/\/$/, "")
  return plain(new URL(named).href) === plain(href)
}

/** What tells strangers where tokens are given. */
interface Documents {
  /** Where the endpoint's own is. */
  readonly url: URL
  /** {@link Authenticate.documents}. */
  read(head: RequestHead): Answer | undefined
}

/** `undefined` where nobody is named who gives tokens. */
function createDocuments(options: BearerOptions): Documents | undefined {
  const { issuer = [], authorizationServer, resource, requiredScopes, scopesSupported = requiredScopes } = options
  const named = [issuer].flat().map(String)
  const issuers = authorizationServer === undefined ? named : [...new Set([authorizationServer.issuer, ...named])]
  if (issuers.length === 0) return undefined
  for (const each of issuers) checkIssuer(each)
  const { pathname } = resource
  const path = `${RESOURCE}${pathname === "/" ? "" : pathname.replace(/\/$/, "")}`
  const texts = new Map([
    [
      path,
      JSON.stringify({
        resource: resource.href,
        authorization_servers: issuers,
        bearer_methods_supported: ["header"],
        ...(scopesSupported && { scopes_supported: scopesSupported }),
        ...(options.resourceName !== undefined && { resource_name: options.resourceName }),
      }),
    ],
  ])
  if (authorizationServer !== undefined) texts.set(SERVER, JSON.stringify(authorizationServer))
  return {
    url: new URL(path, resource),
    read(head) {
      const body = texts.get(pathOf(head).replace(/\/$/, ""))
      return body === undefined ? undefined : { status: 200, headers: DOCUMENT, body }
    },
  }
}

/** Where RFC 9728 and RFC 8414 have them. */
const RESOURCE = "/.well-known/oauth-protected-resource"
const SERVER = "/.well-known/oauth-authorization-server"
const DOCUMENT = { "content-type": "application/json", "cache-control": "public, max-age=3600" }

/** @throws AdapterError `invalid_option`. */
function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const local = url !== undefined && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  if (url?.protocol === "https:" || (url?.protocol === "http:" && local)) return
  const message = `the issuer is ${JSON.stringify(issuer)}: expected an https URL, such as "https://login.example"`
  throw new AdapterError("invalid_option", message)
}
