import type { AuthInfo } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import ipaddr from "ipaddr.js"
import { TokenBucket } from "limiter"
import { LRUCache } from "lru-cache"
import { AdapterError } from "../../adapter-error.js"
import { checkPrincipal, runCallback } from "../../runtime/callback.js"
import type { ReportClient } from "../server/client-report.js"
import type { Admission, Authenticate } from "./auth.js"
import { readAuthAnswer } from "./auth-answer.js"
import { createChallenge } from "./challenge.js"
import { type Answer, type RequestExtra, type RequestHead, tryLater } from "./exchange.js"
import { readTokenRefusal } from "./token-refusal.js"

/** Options that decide which requests are let in, and how many. */
export interface AdmitOptions {
  /**
   * Identifies the caller or returns the answer that refuses the request, once for every request and before its body is read:
   * `bearer`, `bearerToken`, `apiKeys` or your own function. Default: every request is let in.
   */
  readonly authenticate?: Authenticate
  /**
   * Names the caller if the host has already authenticated the request and there is no `authenticate`. `undefined` is an
   * anonymous caller, the default for every request. A throw that reports bad credentials is answered with 401, as for
   * `authenticate`; any other throw is reported and answered with 500.
   */
  readonly principal?: (
    head: RequestHead,
    authInfo: AuthInfo | undefined,
  ) => Principal | undefined | Promise<Principal | undefined>
  /**
   * How many requests each client may send, a client being a principal or, for anonymous callers, an address. Requests beyond
   * it get a 429. `false` removes the limit.
   */
  readonly requestRate?: RequestRate | false
  /**
   * The addresses of trusted proxies, such as `127.0.0.1` or `10.0.0.0/8`, whose `X-Forwarded-For` header is believed. Without
   * them, all anonymous clients behind one proxy share one client's limits. Default: none, since anybody can send that header.
   */
  readonly trustedProxies?: readonly string[]
}

/** The request rate allowed for each client. */
export interface RequestRate {
  /** The most requests in a burst after a pause. Default 2,000. */
  readonly burst?: number
  /** The sustained number of requests a second. Default 1,000. */
  readonly perSecond?: number
}

const rateRules: Record<keyof RequestRate, OptionRule> = { burst: { from: 1 }, perSecond: { from: 0 } }

/** The validation rules of {@link AdmitOptions}. */
export const admitRules: Record<keyof AdmitOptions, OptionRule> = {
  authenticate: "function",
  principal: "function",
  requestRate: { options: rateRules, or: "flag" },
  trustedProxies: "any",
}

/** The identified caller, or the answer that refuses the request. */
type Admitted =
  | (Omit<Admission, "principal"> & {
      readonly ok: true
      /** The caller; `undefined` if anonymous. */
      readonly principal: Principal | undefined
      /** The key that limits count by: the principal's id, otherwise the address. */
      readonly client: string
    })
  | { readonly ok: false; readonly answer: Answer }

/** Admits or refuses one request. */
type Admit = (head: RequestHead, extra: RequestExtra) => Promise<Admitted>

/**
 * Creates the admission check: it identifies the caller, then counts the request against the caller's rate. Refused requests
 * are not counted, so that strangers cannot use up a client's rate. The operator's report names their address and nothing that
 * they sent.
 *
 * @throws AdapterError `invalid_option` for an invalid trusted proxy.
 */
export function createAdmit(options: AdmitOptions, tell: ReportClient): Admit {
  const { requestRate = {} } = options
  const addressOf = createAddressOf(options.trustedProxies ?? [])
  const identifies = options.authenticate !== undefined || options.principal !== undefined
  const count = typeof requestRate === "boolean" ? () => undefined : createRequestRate(requestRate, tell)
  return async (head, extra) => {
    const address = addressOf(head, extra)
    const who = identifies ? await identify(options, head, extra) : ANYBODY
    if (!("principal" in who)) {
      if (who.status >= 400) tell(address, { code: "auth_refused", message: toRefused(address, who.status) })
      return { ok: false, answer: who }
    }
    const client = who.principal?.id ?? address
    const answer = count(client)
    return answer ? { ok: false, answer } : { ok: true, client, ...who }
  }
}

function toRefused(stranger: string, status: number): string {
  return `"authenticate" refused a request from "${stranger}" with ${status}`
}

/** Identifies the caller through the application's function. Turns a throw that reports bad credentials into a challenge. */
async function identify(
  options: AdmitOptions,
  head: RequestHead,
  extra: RequestExtra,
): Promise<Admission | Answer | { readonly principal: undefined }> {
  try {
    return await askWho(options, head, extra)
  } catch (thrown) {
    const refusal = thrown instanceof AdapterError ? readTokenRefusal(thrown.cause) : undefined
    if (refusal === undefined) throw thrown
    const { status, reason } = refusal
    return createChallenge(undefined)(status, status === 401 ? "invalid_token" : "insufficient_scope", reason, [])
  }
}

async function askWho(
  { authenticate, principal }: AdmitOptions,
  head: RequestHead,
  { authInfo }: RequestExtra,
): Promise<Admission | Answer | { readonly principal: undefined }> {
  if (authenticate !== undefined) return readAuthAnswer(await runCallback("authenticate", () => authenticate(head)))
  if (principal === undefined) return ANYBODY
  const who: unknown = await runCallback("principal", () => principal(head, authInfo))
  // An anonymous caller: a request that has to be refused makes the function throw instead.
  return who === undefined ? ANYBODY : { principal: checkPrincipal("principal", who) }
}

/** An anonymous caller. */
const ANYBODY = { principal: undefined } as const

/** Counts one request of a client. Returns a refusal if the client exceeds its rate, otherwise `undefined`. */
type CountRequest = (client: string) => Answer | undefined

/** Creates a token bucket for each client. Requests over the rate get a 429 with the time to wait. */
export function createRequestRate({ burst = 2_000, perSecond = 1_000 }: RequestRate, tell: ReportClient): CountRequest {
  const clients = new LRUCache<string, TokenBucket>({ max: MAX_CLIENTS })
  return (name) => {
    const bucket = clients.get(name) ?? createBucket(burst, perSecond)
    clients.set(name, bucket)
    if (bucket.tryRemoveTokens(1)) return undefined
    tell(name, { code: "rate_limit", message: `the client "${name}" sent more than ${perSecond} requests a second` })
    // The bucket may have refilled in the meantime: a wait of 0 s would make the client retry at once.
    const seconds = Math.max(1, Math.ceil(bucket.getWaitTime(1) / 1_000))
    return tryLater(429, `Too Many Requests: try again in ${seconds} s`, seconds)
  }
}

/** The number of clients remembered. The least recently seen is forgotten first, and starts again with a full bucket. */
const MAX_CLIENTS = 10_000

function createBucket(burst: number, perSecond: number): TokenBucket {
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perSecond, interval: "second" })
  // The library creates empty buckets.
  bucket.content = burst
  return bucket
}

/** Returns the address that limits count a request by. */
type AddressOf = (head: RequestHead, extra: RequestExtra) => string

/**
 * Creates the function that finds a request's client address: the connection's, or, if that is a trusted proxy, the last
 * address in `X-Forwarded-For` that is not a trusted proxy.
 *
 * @throws AdapterError `invalid_option` for an invalid trusted proxy.
 */
export function createAddressOf(trustedProxies: readonly string[]): AddressOf {
  const trusted = trustedProxies.map(toRange)
  const isTrusted = (address: string): boolean => trusted.length > 0 && trusted.some((range) => range(address))
  return ({ headers }, { remoteAddress }) => {
    if (remoteAddress === undefined) return "anonymous"
    if (!isTrusted(remoteAddress)) return toClient(remoteAddress)
    const named = (headers.get("x-forwarded-for") ?? "").split(",").map(withoutPort)
    let address = remoteAddress
    for (let next = named.pop(); next !== undefined && ipaddr.isValid(next); next = named.pop()) {
      address = next
      if (!isTrusted(address)) break
    }
    return toClient(address)
  }
}

/** Reduces an IPv6 address to its /64 network, which one client usually has to itself. */
function toClient(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return parsed.range() === "loopback" ? address : `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`
}

/** Strips the port that some proxies add: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(named: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(named.trim()) ?? []
  return bracketed ?? plain ?? named.trim()
}

/** @throws AdapterError `invalid_option` for an invalid address or range. */
function toRange(given: string): (address: string) => boolean {
  const range = readRange(given)
  if (range === undefined) {
    const expected = 'expected an address or a range, such as "127.0.0.1" or "10.0.0.0/8"'
    throw new AdapterError(`the option "trustedProxies" has ${JSON.stringify(given)}: ${expected}`, {
      code: "invalid_option",
    })
  }
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return parsed.kind() === range[0].kind() && parsed.match(range)
  }
}

function readRange(given: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  if (ipaddr.isValidCIDR(given)) return ipaddr.parseCIDR(given)
  if (!ipaddr.isValid(given)) return undefined
  const address = ipaddr.process(given)
  return [address, address.kind() === "ipv4" ? 32 : 128]
}
