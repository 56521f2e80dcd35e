import type { Principal } from "@x/agentic-service"
import type { GatewayServer } from "./gateway-config.js"

/**
 * Returns a server's entry with one caller's credentials; `undefined` if the caller has none. A caller never gets another
 * caller's credentials, nor the entry's alone.
 */
export function withCredentials(server: GatewayServer, principal: Principal | undefined): GatewayServer | undefined {
  const { perCaller, ...shared } = server
  if (perCaller === undefined || principal === undefined) return undefined
  const { callers = {}, headers: byClaim } = perCaller
  const named = Object.hasOwn(callers, principal.id) ? callers[principal.id] : undefined
  const claimed = named === undefined && byClaim !== undefined ? fillIn(byClaim, principal) : undefined
  const { headers = claimed, env } = named ?? {}
  if (headers === undefined && env === undefined) return undefined
  return {
    ...shared,
    // The entry's sign-in belongs to the gateway.
    oauth: false,
    ...(headers !== undefined && { headers: join(shared.headers, headers) }),
    ...(env !== undefined && { env: { ...shared.env, ...env } }),
  }
}

type Texts = Readonly<Record<string, string>>

/** Merges headers, whose names are compared without case. */
function join(shared: Texts = {}, own: Texts): Texts {
  const taken = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const kept = Object.entries(shared).filter(([name]) => !taken.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...own }
}

/** Replaces each `{name}` by the caller's claim. Returns `undefined` if a claim is missing or invalid in a header. */
function fillIn(templates: Texts, { id, claims = {} }: Principal): Texts | undefined {
  const headers: Record<string, string> = {}
  for (const [name, template] of Object.entries(templates)) {
    let complete = true
    headers[name] = template.replace(/\{([^{}]+)\}/g, (_, claim: string) => {
      const value = claim === "id" ? id : Object.hasOwn(claims, claim) ? claims[claim] : undefined
      const fits = typeof value === "string" && /^[\x21-\x7e]+$/.test(value)
      complete &&= fits
      return fits ? value : ""
    })
    if (!complete) return undefined
  }
  return headers
}

/** Returns the faults of a `perCaller` entry: options that would share something among callers. */
export function perCallerFaults({ perCaller, prefix, onChange, oauth, url }: GatewayServer): readonly string[] {
  if (perCaller === undefined) return []
  const { callers = {}, headers } = perCaller
  const own = Object.values(callers)
  const hasHeaders = headers !== undefined || own.some((each) => each.headers !== undefined)
  const hasEnv = own.some(({ env }) => env !== undefined)
  const faults: readonly (readonly [boolean, string])[] = [
    [
      !hasHeaders && !hasEnv,
      '"perCaller" names no credentials: expected "headers", or "callers" with "headers" or "env"',
    ],
    [hasHeaders && url === undefined, '"perCaller" has "headers", but a command has no headers: expected "env"'],
    [hasEnv && url !== undefined, '"perCaller" has "env", but a URL has no environment: expected "headers"'],
    [prefix === false, 'a server with "perCaller" needs a prefix: remove "prefix": false'],
    [
      onChange === "hold",
      '"onChange": "hold" cannot be combined with "perCaller", which has a connection for each caller: remove one of them',
    ],
    [
      oauth !== undefined && oauth !== false,
      '"oauth" cannot be combined with "perCaller", because its sign-in is for all callers: remove one of them',
    ],
  ]
  return faults.flatMap(([found, fault]) => (found ? [fault] : []))
}
