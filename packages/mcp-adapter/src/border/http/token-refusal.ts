import { memberOf } from "@x/base"

/** The reason why credentials are refused, safe for the caller to read. */
export interface TokenRefusal {
  /** 401 for bad credentials, 403 for insufficient scopes. */
  readonly status: 401 | 403
  /** The sentence for the caller; of the thrown error it quotes only an OAuth error's message. */
  readonly reason: string
}

/**
 * Reads whether a thrown value says that the caller's credentials are bad: by its OAuth error code or HTTP status, or by the
 * error types and codes of common token libraries. Returns `undefined` for a fault of the server's own, such as keys that
 * cannot be fetched.
 */
export function readTokenRefusal(thrown: unknown): TokenRefusal | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined
  return readOAuthError(thrown) ?? readStatus(thrown) ?? readLibraryError(thrown)
}

/**
 * Reads an OAuth error of either SDK version, from any copy of it: the second has `code`, the first `errorCode` (RFC 6750,
 * 3.1).
 */
function readOAuthError(thrown: object): TokenRefusal | undefined {
  const code = [memberOf(thrown, "code"), memberOf(thrown, "errorCode")].find((each) => OAUTH.has(String(each)))
  if (code === undefined) return undefined
  const message = memberOf(thrown, "message")
  const reason = typeof message === "string" && message !== "" ? message : BAD
  return { status: code === "insufficient_scope" ? 403 : 401, reason }
}

/** Codes that blame the token. Others, such as `server_error`, do not. */
const OAUTH: ReadonlySet<string> = new Set(["invalid_token", "insufficient_scope", "invalid_grant"])

/** Reads an error with an HTTP status, as web frameworks throw it, or a thrown `Response`. */
function readStatus(thrown: object): TokenRefusal | undefined {
  const statuses = [memberOf(thrown, "status"), memberOf(thrown, "statusCode")]
  if (statuses.includes(401)) return { status: 401, reason: BAD }
  return statuses.includes(403) ? { status: 403, reason: LITTLE } : undefined
}

function readLibraryError(thrown: object): TokenRefusal | undefined {
  const code = String(memberOf(thrown, "code") ?? memberOf(thrown, "reason") ?? "")
  const names = namesOf(thrown)
  const known = CODES.some((pattern) => pattern.test(code)) || names.some((name) => TYPES.test(name))
  if (!known || SERVER_FAULT.test(String(memberOf(thrown, "message")))) return undefined
  const over = /expired/i.test(code) || names.some((name) => /Expired/.test(name))
  return { status: 401, reason: over ? "the token has expired" : BAD }
}

/** Returns an error's own name and those of its classes. */
function namesOf(thrown: object): readonly string[] {
  const names = [String(memberOf(thrown, "name") ?? "")]
  for (let type: unknown = Object.getPrototypeOf(thrown); type !== null; type = Object.getPrototypeOf(type)) {
    names.push(String(memberOf(memberOf(type, "constructor"), "name") ?? ""))
    if (names.length > MOST_CLASSES) break
  }
  return names
}

const MOST_CLASSES = 10

/** Error codes caused by a bad token, but not by keys that cannot be fetched or by the library's own options. */
const CODES: readonly RegExp[] = [
  // jose: the token's form, signature, claims, or a key it names that does not exist.
  /^ERR_(JWT_(EXPIRED|INVALID|CLAIM_VALIDATION_FAILED)|JW[SE]_INVALID|JWS_SIGNATURE_VERIFICATION_FAILED|JWE_DECRYPTION_FAILED)$/,
  /^ERR_(JWKS_(NO|MULTIPLE)_MATCHING_KEYS?|JOSE_(ALG_NOT_ALLOWED|NOT_SUPPORTED))$/,
  /^ERR_PASETO_(INVALID|DECRYPTION_FAILED|VERIFICATION_FAILED|CLAIM_INVALID)$/,
  /^FAST_JWT_(EXPIRED|INACTIVE|MALFORMED|MISSING_SIGNATURE|MISSING_REQUIRED_CLAIM|INVALID_(SIGNATURE|ALGORITHM|TYPE|PAYLOAD|CLAIM_TYPE|CLAIM_VALUE))$/,
  // oauth4webapi.
  /^OAUTH_JWT_(TIMESTAMP_CHECK|CLAIM_COMPARISON)_FAILED$/,
  // Firebase, Supabase, Clerk.
  /^auth\/(argument-error|id-token-(expired|revoked)|session-cookie-(expired|revoked)|invalid-(id-token|session-cookie)|user-(disabled|not-found)|tenant-id-mismatch)$/,
  /^(invalid_jwt|bad_jwt|session_not_found|user_banned)$/,
  /^token-(expired|invalid|invalid-(algorithm|authorized-parties|signature)|not-active-yet|iat-in-the-future|verification-failed)$/,
]

/** Error classes caused by a bad token: those of jsonwebtoken and aws-jwt-verify, and common names in applications. */
const TYPES =
  /^(JsonWebTokenError|TokenExpiredError|NotBeforeError|InvalidTokenError|InvalidJwtError|AuthInvalidJwtError|UnauthorizedError|UnauthorizedException|Jwt(Expired|NotBefore|Parse|Invalid\w*|WithoutValidKid)Error|CognitoJwtInvalid\w*Error|KidNotFoundInJwksError)$/

/** Messages of jsonwebtoken, with the same class, about wrong arguments. */
const SERVER_FAULT = /secret or public key|secretOrPublicKey|requires? .*options|must be .*(asymmetric|symmetric) key/i

const BAD = "the token is not valid"
const LITTLE = "the token lacks a required scope"
