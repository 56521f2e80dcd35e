import { type AuthInfo, OAuthErrorCode, type OAuthMetadata } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import { findScopesFault } from "@x/agentic-service/adapter"
import { hasMethod, isRecord, memberOf, type OptionRule, showShort } from "@x/tool-schemas/json"
import { AdapterError, checkOptions } from "../../adapter-error.js"
import { checkPrincipal, refuseAnswer, runCallback, toCallbackError } from "../../runtime/callback.js"
import type { AuthAnswer, Authenticate } from "./auth.js"
import { createChallenge, readToken } from "./challenge.js"
import { type Answer, pathOf, type RequestHead } from "./exchange.js"
import { readTokenRefusal, type TokenRefusal } from "./token-refusal.js"

/** What {@link bearer} accepts. */
export interface BearerOptions {
  /**
   * Looks a token up, or checks its signature. For a token that is not good it throws: an `OAuthError` with `invalid_token`,
   * whose message the caller reads, or what the usual token libraries throw; that is a 401, any other throw a 500 that is
   * reported. It fills in `expiresAt`, in seconds since 1970, and the token's audience as `resource` or `audience`: a token
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
  checkOptions(options, bearerRules)
  checkParts(options)
  const { requiredScopes = [], toPrincipal, recheck = false } = options
  const documents = createDocuments(options)
  const challenge = createChallenge(documents?.url)
  const tooLittle = (scopes: readonly string[]): Answer =>
    challenge(403, OAuthErrorCode.InsufficientScope, "the token allows too little", scopes)
  const refuse = ({ status, reason }: TokenRefusal): Answer => {
    const code = status === 403 ? OAuthErrorCode.InsufficientScope : OAuthErrorCode.InvalidToken
    return challenge(status, code, reason, requiredScopes)
  }
  const admit = async (head: RequestHead): Promise<AuthAnswer> => {
    const token = readToken(head)
    if (token === undefined) return challenge(401, undefined, "a bearer token is missing", requiredScopes)
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

/** @throws AdapterError `invalid_option` for a part that is missing, or is another thing. */
function checkParts({ verifier, resource, toPrincipal, requiredScopes, scopesSupported }: BearerOptions): void {
  const fail = (message: string): never => {
    throw new AdapterError("invalid_option", message)
  }
  if (!hasMethod(verifier, "verifyAccessToken"))
    fail('option "verifier" has no method "verifyAccessToken": expected an object with one, which takes the token')
  if (hrefOf(resource) === undefined)
    fail(
      'option "resource" is no URL: expected the endpoint as clients know it, such as new URL("https://app.example/mcp")',
    )
  if (typeof toPrincipal !== "function")
    fail('option "toPrincipal" is missing: expected a function that says who a token stands for')
  for (const [name, scopes] of Object.entries({ requiredScopes, scopesSupported })) {
    const fault = scopes === undefined ? undefined : findScopesFault(scopes)
    if (fault !== undefined) fail(`option "${name}" is ${fault}`)
  }
}

/** The text of a URL object, of whichever realm; `undefined` for anything else. */
function hrefOf(value: unknown): string | undefined {
  const href = memberOf(value, "href")
  return typeof href === "string" ? href : undefined
}

function isRefusal(value: object): value is TokenRefusal {
  return "reason" in value && "status" in value
}

/** Asks the verifier. What it throws is a refusal if it says so; `undefined` is its way to say that it knows no such token. */
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

/** Reads what the verifier knows of a token; a refusal for one that is not good, not for this endpoint, or over. */
async function verify(token: string, options: BearerOptions): Promise<TokenRefusal | Verified> {
  const asked = await ask(token, options)
  if (isRefusal(asked)) return asked
  const { known, audiences, ...rest } = readVerified(asked.known)
  const { expiresAt } = rest
  if (expiresAt === undefined) return { status: 401, reason: "the token does not say when it ends" }
  if (expiresAt * 1_000 < Date.now()) return { status: 401, reason: "the token is over" }
  if (!audiences.some((named) => isSameResource(named, options.resource)))
    return { status: 401, reason: "the token is for something else" }
  return { ...known, ...rest }
}

/** A verified token whose parts have been looked at. */
type Verified = VerifiedToken & { readonly expiresAt?: number }

/**
 * Reads what a verifier gave, which may come from code without types.
 *
 * @throws AdapterError `callback_failed` that names the part: a claim that is handed on as it stands in a token lets nobody in.
 */
function readVerified(given: unknown): {
  readonly known: VerifiedToken
  readonly scopes: string[]
  readonly expiresAt?: number
  readonly audiences: readonly string[]
} {
  const refused = (fault: string): AdapterError => refuseAnswer(VERIFIER, fault)
  if (!isRecord(given)) throw refused(`${showShort(given)}: expected what it knows of the token, an object`)
  const { scopes = [], expiresAt, audience = [], resource } = given
  const fault = findScopesFault(scopes)
  if (fault !== undefined) throw refused(`"scopes" that are ${fault}`)
  if (expiresAt === undefined && given["exp"] !== undefined)
    throw refused('"exp" and no "expiresAt": expected "expiresAt" in seconds since 1970, which is what "exp" is')
  if (expiresAt !== undefined && expiresAt !== null && !isSeconds(expiresAt))
    throw refused(
      `"expiresAt" that is ${showShort(expiresAt)}: expected seconds since 1970, as "exp" in a token has them`,
    )
  const audiences = [audience ?? [], resource ?? []].flat().map((named) => hrefOf(named) ?? named)
  const odd = audiences.find((named) => typeof named !== "string")
  if (odd !== undefined)
    throw refused(
      `an audience that is ${showShort(odd)}: expected the URL that the token is for, as "resource" or "audience"`,
    )
  return {
    known: given as unknown as VerifiedToken, // whose parts the lines above have looked at
    scopes: scopes as string[], // see above
    ...(typeof expiresAt === "number" && { expiresAt }),
    audiences: audiences.filter((named) => typeof named === "string"),
  }
}

/** Whether a number can be seconds since 1970. In the year 5138 milliseconds of today are no longer told apart. */
function isSeconds(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 1e11
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
