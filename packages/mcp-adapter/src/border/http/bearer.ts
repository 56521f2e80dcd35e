import { type AuthInfo, OAuthErrorCode, type OAuthMetadata } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import { findScopesFault } from "@x/agentic-service/adapter"
import { hasMethod, isRecord, LOCAL_HOSTS, memberOf, type OptionRule, showShort } from "@x/base"
import { AdapterError, checkOptions } from "../../adapter-error.js"
import { checkPrincipal, refuseAnswer, runCallback, toCallbackError } from "../../runtime/callback.js"
import type { AuthAnswer, Authenticate } from "./auth.js"
import { createChallenge, readToken } from "./challenge.js"
import { type Answer, pathOf, type RequestHead } from "./exchange.js"
import { readTokenRefusal, type TokenRefusal } from "./token-refusal.js"

/** Options of {@link bearer}. */
export interface BearerOptions {
  /**
   * Looks a token up, or checks its signature. For a bad token it throws an `OAuthError` with `invalid_token`, whose message
   * the caller reads, or the error of a common token library: both are a 401. Any other throw is reported and answered with
   * 500. The result must have `expiresAt`, in seconds since 1970, and the token's audience as `resource` or `audience`: a token
   * without either is refused.
   */
  readonly verifier: TokenVerifier
  /** The endpoint's public URL. Tokens issued for another resource are refused (RFC 8707). */
  readonly resource: URL
  /**
   * Returns the principal of a verified token, which it gets without the token's text. `clientId` names an application, not a
   * person.
   */
  readonly toPrincipal: (token: Omit<VerifiedToken, "token">) => Principal
  /** The scopes that every token must have; a token without one is refused with a 403 that names them. Default: none. */
  readonly requiredScopes?: readonly string[]
  /**
   * The issuer URL of the authorization server that issues tokens, or several. If set, refusals name the metadata document that
   * tells clients where to get a token (RFC 9728), and the document is served publicly at its well-known path. Default:
   * neither.
   */
  readonly issuer?: string | URL | readonly (string | URL)[]
  /**
   * The authorization server's metadata (RFC 8414), served here as well for clients of 2025-03-26, which look for it here. You
   * need not repeat its `issuer`. Default: clients read it from the authorization server.
   */
  readonly authorizationServer?: OAuthMetadata
  /** The endpoint's name for people, published in the metadata document. Default: none. */
  readonly resourceName?: string
  /** All scopes that exist, published in the metadata document. Default: `requiredScopes`. */
  readonly scopesSupported?: readonly string[]
  /**
   * Whether open streams verify their token again about once a minute, so that they end once it is revoked. Default `false`.
   */
  readonly recheck?: boolean
}

/** The verifier's information about a token. */
export interface VerifiedToken extends AuthInfo {
  /** The token's audience, if it has several or `resource` is unset: one of them must be the endpoint. */
  readonly audience?: string | readonly string[]
}

/** Verifies tokens; the SDK's verifiers qualify. */
export interface TokenVerifier {
  /** {@link BearerOptions.verifier}. */
  verifyAccessToken(token: string): Promise<VerifiedToken>
}

/**
 * Accepts bearer tokens: the verifier checks the signature or the record, then audience, expiry and scopes are checked. A
 * request without a valid token gets a 401, one with insufficient scopes a 403, each with a challenge (2026-07-28,
 * basic/authorization).
 *
 * @throws AdapterError `invalid_option` for an issuer that is neither https nor local.
 * @example
 * ```ts
 * import { bearer } from "@x/mcp-adapter/http"
 *
 * const resource = new URL("https://app.example/mcp")
 * // Pass it to a server: serveHttp(adapter, { authenticate })
 * const authenticate = bearer({
 *   resource,
 *   issuer: "https://login.example",
 *   toPrincipal: ({ extra, scopes }) => ({ id: String(extra?.["sub"]), scopes }),
 *   verifier: {
 *     // In place of this, check the token's signature, such as with jose, or ask the authorization server.
 *     async verifyAccessToken(token) {
 *       const expiresAt = Math.floor(Date.now() / 1000) + 60
 *       return { token, clientId: "app", scopes: ["read"], expiresAt, resource, extra: { sub: "ada" } }
 *     },
 *   },
 * })
 * const answer = await authenticate(new Request(resource, { headers: { authorization: "Bearer abc" } }))
 * console.log("principal" in answer && answer.principal) // { id: 'ada', scopes: [ 'read' ] }
 * ```
 */
export function bearer(options: BearerOptions): Authenticate {
  checkOptions(options, bearerRules)
  checkParts(options)
  const { requiredScopes = [], toPrincipal, recheck = false } = options
  const documents = createDocuments(options)
  const challenge = createChallenge(documents?.url)
  const tooLittle = (scopes: readonly string[]): Answer =>
    challenge(403, OAuthErrorCode.InsufficientScope, "the token lacks a required scope", scopes)
  const refuse = ({ status, reason }: TokenRefusal): Answer => {
    const code = status === 403 ? OAuthErrorCode.InsufficientScope : OAuthErrorCode.InvalidToken
    return challenge(status, code, reason, requiredScopes)
  }
  const admit = async (head: RequestHead): Promise<AuthAnswer> => {
    const token = readToken(head)
    if (token === undefined)
      return challenge(
        401,
        undefined,
        "the bearer token is missing: send it as Authorization: Bearer <token>",
        requiredScopes,
      )
    const verified = await verify(token, options)
    if (isRefusal(verified)) return refuse(verified)
    const { token: _, ...known } = verified
    if (!requiredScopes.every((scope) => known.scopes.includes(scope))) return tooLittle(requiredScopes)
    const principal = await runCallback("toPrincipal", () => toPrincipal(known))
    return {
      principal: checkPrincipal("toPrincipal", principal),
      expires: new Date(Number(known.expiresAt) * 1_000),
      ...(recheck && { holds: async () => !isRefusal(await ask(token, options)) }),
    }
  }
  const forMore = (scopes: readonly string[]): Answer => tooLittle([...new Set([...requiredScopes, ...scopes])])
  return Object.assign(admit, { challenge: forMore, ...(documents && { documents: documents.read }) })
}

const bearerRules: Record<keyof BearerOptions, OptionRule> = {
  verifier: "object",
  resource: "object",
  toPrincipal: "function",
  requiredScopes: "any",
  issuer: "any",
  authorizationServer: "object",
  resourceName: "text",
  scopesSupported: "any",
  recheck: "flag",
}

/** @throws AdapterError `invalid_option` for a missing or invalid option. */
function checkParts({ verifier, resource, toPrincipal, requiredScopes, scopesSupported }: BearerOptions): void {
  const fail = (message: string): never => {
    throw new AdapterError(message, { code: "invalid_option" })
  }
  if (!hasMethod(verifier, "verifyAccessToken"))
    fail('option "verifier" has no method "verifyAccessToken": expected an object with one, which takes the token')
  if (hrefOf(resource) === undefined)
    fail(
      'option "resource" is not a URL: expected the endpoint as clients know it, such as new URL("https://app.example/mcp")',
    )
  if (typeof toPrincipal !== "function")
    fail('option "toPrincipal" is missing: expected a function that returns the principal of a token')
  for (const [name, scopes] of Object.entries({ requiredScopes, scopesSupported })) {
    const fault = scopes === undefined ? undefined : findScopesFault(scopes)
    if (fault !== undefined) fail(`option "${name}" is ${fault}`)
  }
}

/** Returns the text of a URL object of any realm; `undefined` for anything else. */
function hrefOf(value: unknown): string | undefined {
  const href = memberOf(value, "href")
  return typeof href === "string" ? href : undefined
}

function isRefusal(value: object): value is TokenRefusal {
  return "reason" in value && "status" in value
}

/**
 * Asks the verifier. Reads a throw as a refusal if it reports bad credentials. A verifier may also return `undefined` for an
 * unknown token.
 */
async function ask(token: string, { verifier }: BearerOptions): Promise<TokenRefusal | { readonly known: unknown }> {
  try {
    const known: unknown = await verifier.verifyAccessToken(token)
    return known === undefined || known === null || known === false ? UNKNOWN : { known }
  } catch (thrown) {
    const refusal = readTokenRefusal(thrown)
    if (refusal !== undefined) return refusal
    throw toCallbackError(VERIFIER, thrown)
  }
}

const VERIFIER = "verifier.verifyAccessToken"
const UNKNOWN: TokenRefusal = { status: 401, reason: "the token is not known" }

/** Verifies a token. Returns a refusal if it is bad, expired or for another resource. */
async function verify(token: string, options: BearerOptions): Promise<TokenRefusal | Verified> {
  const asked = await ask(token, options)
  if (isRefusal(asked)) return asked
  const { known, audiences, ...rest } = readVerified(asked.known)
  const { expiresAt } = rest
  if (expiresAt === undefined) return { status: 401, reason: "the token has no expiry" }
  if (expiresAt * 1_000 < Date.now()) return { status: 401, reason: "the token has expired" }
  if (!audiences.some((named) => isSameResource(named, options.resource)))
    return { status: 401, reason: "the token is for another resource" }
  return { ...known, ...rest }
}

/** A verified token with checked parts. */
type Verified = VerifiedToken & { readonly expiresAt?: number }

/**
 * Reads the verifier's result, which may come from untyped code.
 *
 * @throws AdapterError `callback_failed` that names the faulty part, such as a claim copied from a token without conversion.
 */
function readVerified(given: unknown): {
  readonly known: VerifiedToken
  readonly scopes: string[]
  readonly expiresAt?: number
  readonly audiences: readonly string[]
} {
  const refused = (fault: string): AdapterError => refuseAnswer(VERIFIER, fault)
  if (!isRecord(given)) throw refused(`${showShort(given)}: expected an object that describes the token`)
  const { scopes = [], expiresAt, audience = [], resource } = given
  const fault = findScopesFault(scopes)
  if (fault !== undefined) throw refused(`"scopes" that are ${fault}`)
  if (expiresAt === undefined && given["exp"] !== undefined)
    throw refused('"exp" and no "expiresAt": expected "expiresAt" in seconds since 1970, which is what "exp" is')
  if (expiresAt !== undefined && expiresAt !== null && !isSeconds(expiresAt))
    throw refused(`"expiresAt" that is ${showShort(expiresAt)}: expected seconds since 1970, like "exp" in a token`)
  const audiences = [audience ?? [], resource ?? []].flat().map((named) => hrefOf(named) ?? named)
  const odd = audiences.find((named) => typeof named !== "string")
  if (odd !== undefined)
    throw refused(
      `an audience that is ${showShort(odd)}: expected the URL that the token is for, as "resource" or "audience"`,
    )
  return {
    known: given as unknown as VerifiedToken, // its parts are checked above
    scopes: scopes as string[], // likewise
    ...(typeof expiresAt === "number" && { expiresAt }),
    audiences: audiences.filter((named) => typeof named === "string"),
  }
}

/** Whether a number is plausibly seconds since 1970: one from 1e11 on (the year 5138) is taken for milliseconds. */
function isSeconds(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 1e11
}

/** Whether two URLs are the same except for a trailing slash and a fragment. */
function isSameResource(named: string, { href }: URL): boolean {
  if (!URL.canParse(named)) return false
  const plain = (url: string): string => url.replace(/#.*$/, "").replace(/\/$/, "")
  return plain(new URL(named).href) === plain(href)
}

/** The metadata documents that tell clients where to get a token. */
interface Documents {
  /** The URL of the endpoint's own document. */
  readonly url: URL
  /** {@link Authenticate.documents}. */
  read(head: RequestHead): Answer | undefined
}

/** Returns `undefined` if no issuer is configured. */
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

/** Well-known paths of RFC 9728 and RFC 8414. */
const RESOURCE = "/.well-known/oauth-protected-resource"
const SERVER = "/.well-known/oauth-authorization-server"
const DOCUMENT = { "content-type": "application/json", "cache-control": "public, max-age=3600" }

/** @throws AdapterError `invalid_option` for an issuer that is neither https nor local. */
function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const local = url !== undefined && LOCAL_HOSTS.includes(url.hostname)
  if (url?.protocol === "https:" || (url?.protocol === "http:" && local)) return
  const message = `the issuer is ${JSON.stringify(issuer)}: expected an https URL, such as "https://login.example"`
  throw new AdapterError(message, { code: "invalid_option" })
}
