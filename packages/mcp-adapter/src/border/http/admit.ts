import type { AuthInfo } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
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

/** Who is let in, and how often. */
export interface AdmitOptions {
  /**
   * Lets in who it knows, and answers strangers, for every request anew and before its body is read: `bearer`,
   * `bearerToken`, `apiKeys` or a function. Default: everybody is let in.
   */
  readonly authenticate?: Authenticate
  /**
   * Says who calls, where the host has refused strangers already and there is no `authenticate`. `undefined` is anonymous,
   * which is everybody by default. A throw that says that the credentials are no good is a 401, as of `authenticate`; any other
   * is reported and answered with 500.
   */
  readonly principal?: (
    head: RequestHead,
    authInfo: AuthInfo | undefined,
  ) => Principal | undefined | Promise<Principal | undefined>
  /**
   * How often a client, which is a principal or the address of who has none, may send a request; more is a 429. `false`
   * for no limit.
   */
  readonly requestRate?: RequestRate | false
  /**
   * The addresses of proxies, such as `127.0.0.1` or `10.0.0.0/8`, that say in `X-Forwarded-For` whose request it is.
   * Without them, anonymous clients behind a proxy are all one client where limits count. Default: none is trusted, since
   * anybody can send that header.
   */
  readonly trustedProxies?: readonly string[]
}

/** How often one client may send a request. */
export interface RequestRate {
  /** How many at once, after a pause. Default 2,000. */
  readonly burst?: number
  /** How many a second, for as long as it likes. Default 1,000. */
  readonly perSecond?: number
}

const rateRules: Record<keyof RequestRate, OptionRule> = { burst: { from: 1 }, perSecond: { from: 0 } }

/** What each of {@link AdmitOptions} may be. */
export const admitRules: Record<keyof AdmitOptions, OptionRule> = {
  authenticate: "function",
  principal: "function",
  requestRate: { options: rateRules, or: "flag" },
  trustedProxies: "any",
}

/** Who is let in, or the answer for who is not. */
type Admitted =
  | (Omit<Admission, "principal"> & {
      readonly ok: true
      /** Who it is; `undefined` is anonymous. */
      readonly principal: Principal | undefined
      /** What limits count by: the principal, else the address. */
      readonly client: string
    })
  | { readonly ok: false; readonly answer: Answer }

/** Decides about one request. */
type Admit = (head: RequestHead, extra: RequestExtra) => Promise<Admitted>

/**
 * Asks who it is, then counts. Strangers are refused uncounted, since they must not use up what others have; the operator
 * hears from where, and of nothing that they sent.
 *
 * @throws AdapterError `invalid_option` for a proxy that is no address.
 */
export function createAdmit(options: AdmitOptions, tell: ReportClient): Admit {
  const { requestRate = {} } = options
  const addressOf = createAddressOf(options.trustedProxies ?? [])
  const count = typeof requestRate === "boolean" ? () => undefined : createRequestRate(requestRate, tell)
  return async (head, extra) => {
    const address = addressOf(head, extra)
    const who = await identify(options, head, extra)
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

/** Asks the application who sends a request. What it throws is the answer if it says that the credentials are no good. */
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
  if (principal === undefined) return { principal: undefined }
  const who: unknown = await runCallback("principal", () => principal(head, authInfo))
  // Nobody in particular; of who is to be refused nothing gets here.
  return who === undefined ? { principal: undefined } : { principal: checkPrincipal("principal", who) }
}

/** Counts one request of a client: the answer that refuses it, or `undefined`. */
type CountRequest = (client: string) => Answer | undefined

/** A token bucket for each client. What is over the rate is a 429 that says when to come back. */
export function createRequestRate({ burst = 2_000, perSecond = 1_000 }: RequestRate, tell: ReportClient): CountRequest {
  const clients = new LRUCache<string, TokenBucket>({ max: MAX_CLIENTS })
  return (name) => {
    const bucket = clients.get(name) ?? createBucket(burst, perSecond)
    clients.set(name, bucket)
    if (bucket.tryRemoveTokens(1)) return undefined
    tell(name, { code: "rate_limit", message: `the client "${name}" sent more than ${perSecond} requests a second` })
    // The bucket may have filled again since it refused: a wait of 0 s would send the client straight back.
    const seconds = Math.max(1, Math.ceil(bucket.getWaitTime(1) / 1_000))
    return tryLater(429, `Too Many Requests: try again in ${seconds} s`, seconds)
  }
}

/** One who has been silent for longer than so many others were not starts with a full bucket again. */
const MAX_CLIENTS = 10_000

function createBucket(burst: number, perSecond: number): TokenBucket {
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perSecond, interval: "second" })
  // The library's buckets begin empty.
  bucket.content = burst
  return bucket
}

/** Where a request comes from, as far as limits are concerned. */
type AddressOf = (head: RequestHead, extra: RequestExtra) => string

/**
 * Reads the address of whoever sent a request: of the connection, or, where that is a proxy that is trusted, the last that is
 * none in the row of addresses it names.
 *
 * @throws AdapterError `invalid_option` for a proxy that is no address.
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

/** A client of IPv6 has a network of addresses, all of which are one. */
function toClient(address: string): string {
  if (!address.includes(":") || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return parsed.range() === "loopback" ? address : `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`
}

/** Proxies differ in whether they name the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(named: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(named.trim()) ?? []
  return bracketed ?? plain ?? named.trim()
}

/** @throws AdapterError `invalid_option`. */
function toRange(given: string): (address: string) => boolean {
  const range = readRange(given)
  if (range === undefined) {
    const expected = 'expected an address or a range, such as "127.0.0.1" or "10.0.0.0/8"'
    throw new AdapterError("invalid_option", `the option "trustedProxies" has ${JSON.stringify(given)}: ${expected}`)
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
