import type { OptionRule } from "@x/base"
import { LOCAL_HOSTS } from "@x/base"
import { AdapterError } from "../../adapter-error.js"
import type { Diagnostic } from "../../runtime/diagnostic.js"
import { show } from "../server/messages.js"
import { REFUSED } from "../server/rpc-error.js"
import { type Answer, type RequestHead, refuse } from "./exchange.js"

/** Hosts and origins that may reach a server. */
export interface GuardOptions {
  /**
   * The names by which clients reach the server, as in the `Host` header: `mcp.example`, `mcp.example:8443` for that port only,
   * `https://mcp.example`, an address, `*.mcp.example` for all names below it, `*` for any name. Default: `localhost`,
   * `127.0.0.1`, `[::1]`. This check keeps a web page from reaching a local server under a name of its own (DNS rebinding). An
   * invalid entry throws `AdapterError` `invalid_option`.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * The origins that browsers may call from, written like hosts: without a scheme for any scheme, without a port for any port,
   * `<scheme>://*` for all extensions of a browser. They get CORS headers; any other `Origin` gets a 403. Default: this
   * machine's local names, as for hosts.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Request headers of the application's own that a page may send in addition to those of MCP and authentication, such as
   * `X-Tenant` if `authenticate` or `principal` reads it. Default: none.
   */
  readonly allowedHeaders?: readonly string[]
}

/** The validation rules of {@link GuardOptions}; their entries are checked when parsed. */
export const guardRules: Record<keyof GuardOptions, OptionRule> = {
  allowedHosts: "any",
  allowedOrigins: "any",
  allowedHeaders: "any",
}

/** The answer that refuses a request by its `Host` or `Origin`. */
export interface GuardRefusal extends Answer {
  /** The report for the operator, with the option that would allow the request. */
  readonly diagnostic: Diagnostic
}

/** Checks whether a request may reach an endpoint at all, before anything else is read. */
export interface Guard {
  /** Returns the answer that refuses a request by its `Host` or `Origin`; `undefined` if both are allowed. */
  refuses(head: RequestHead): GuardRefusal | undefined
  /** Checks the `Host` alone, for public documents. */
  refusesHost(head: RequestHead): GuardRefusal | undefined
  /** Returns the headers that let a page of an allowed origin read the answer; `undefined` if the request has no origin. */
  shareWith(head: RequestHead): Readonly<Record<string, string>> | undefined
  /** Answers a browser's preflight request. */
  preflight(head: RequestHead): Answer
}

/**
 * Creates the checks of `Host` and `Origin` (2026-07-28, basic/transports/streamable-http, security).
 *
 * @throws AdapterError `invalid_option` for an invalid host, origin or header.
 * @example
 * ```ts
 * import { createGuard } from "@x/mcp-adapter/binding"
 *
 * const guard = createGuard({ allowedHosts: ["mcp.example"] })
 * console.log(guard.refuses(new Request("https://mcp.example/mcp"))) // undefined
 * console.log(guard.refuses(new Request("https://attacker.example/mcp"))?.status) // 403
 * ```
 */
export function createGuard(options: GuardOptions): Guard {
  const hosts = (options.allowedHosts ?? LOCAL_HOSTS).map((given) => toPattern("allowedHosts", given))
  const origins = (options.allowedOrigins ?? LOCAL_HOSTS).map((given) => toPattern("allowedOrigins", given))
  const accepted = [...ACCEPTED, ...(options.allowedHeaders ?? []).map(checkHeader)]
  const refusesHost: Guard["refusesHost"] = ({ headers, url }) => {
    // HTTP/2 and HTTP/3 carry the host in the URL only.
    const host = headers.get("host") ?? url.split("/", 3)[2] ?? ""
    const asked = readAuthority(host)
    const allowed = asked !== undefined && hosts.some((pattern) => matches(pattern, asked))
    return allowed ? undefined : refused(asked === undefined ? 400 : 403, "host", host)
  }
  const refusesOrigin = ({ headers }: RequestHead): GuardRefusal | undefined => {
    const origin = headers.get("origin")
    if (origin === null) return undefined
    const asked = readOrigin(origin)
    const allowed = asked !== undefined && origins.some((pattern) => matches(pattern, asked))
    return allowed ? undefined : refused(403, "origin", origin)
  }
  return {
    refusesHost,
    refuses: (head) => refusesHost(head) ?? refusesOrigin(head),
    shareWith({ headers }) {
      const origin = headers.get("origin")
      if (origin === null) return undefined
      return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED, vary: "Origin" }
    },
    preflight({ headers }) {
      const asked = headers.get("access-control-request-headers")?.split(",") ?? []
      // One header for each annotated argument, named by the tool (2026-07-28, basic/transports/streamable-http).
      const params = asked.map((name) => name.trim().toLowerCase()).filter((name) => name.startsWith("mcp-param-"))
      const allowed = [...accepted, ...params].join(", ")
      return toPreflight(allowed)
    },
  }
}

/** Creates the answer to a preflight request, cached for a day. */
export function toPreflight(allowedHeaders: string): Answer {
  return {
    status: 204,
    headers: {
      allow: METHODS,
      "access-control-allow-methods": METHODS,
      "access-control-allow-headers": allowedHeaders,
      "access-control-max-age": "86400",
    },
  }
}

const METHODS = "GET, POST, DELETE, OPTIONS"
const EXPOSED = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After"
const ACCEPTED = [
  "accept",
  "authorization",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "x-api-key",
  "x-session-id",
]

/** Refuses a host or an origin and names the option that would allow it. */
function refused(status: 400 | 403, what: "host" | "origin", name: string): GuardRefusal {
  const header = what === "host" ? "Host" : "Origin"
  const option = what === "host" ? "allowedHosts" : "allowedOrigins"
  const message = `the header "${header}" is ${show(name)}: expected one of the option "${option}"`
  return {
    ...refuse(status, { code: REFUSED, message }),
    diagnostic: { code: `${what}_refused`, message: `a request was refused: ${message}` },
  }
}

/** A header's host and port; origins also have a scheme. */
interface Authority {
  readonly scheme?: string | undefined
  readonly host: string
  readonly port: string
}

/** Allowed hosts; an absent part matches anything. */
interface Pattern {
  readonly scheme?: string | undefined
  /** Whether the pattern matches names below `host` instead of `host` itself; an empty `host` matches any name. */
  readonly below: boolean
  readonly host: string
  readonly port?: string | undefined
}

/** A name, an IPv4 address or a bracketed IPv6 address, then an optional port. Some networks use underscores in names. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)\.?(?::(\d{0,5}))?$/

function readAuthority(text: string): Authority | undefined {
  const [, host, port = ""] = AUTHORITY.exec(text.toLowerCase()) ?? []
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port }
}

function readOrigin(text: string): Authority | undefined {
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? []
  const authority = scheme === undefined ? undefined : readAuthority(rest)
  return authority && { ...authority, scheme: scheme?.toLowerCase() }
}

function matches({ scheme, below, host, port }: Pattern, asked: Authority): boolean {
  if (scheme !== undefined && asked.scheme !== undefined && scheme !== asked.scheme) return false
  if (port !== undefined && !isPort(port, asked, scheme)) return false
  return below ? host === "" || asked.host.endsWith(`.${host}`) : host === asked.host
}

/** Whether a port matches the requested one: by number, or as the scheme's default; either default if the scheme is unknown. */
function isPort(port: string, asked: Authority, expected: string | undefined): boolean {
  if (asked.port !== "") return port === asked.port
  const scheme = asked.scheme ?? expected
  return (port === "80" && scheme !== "https") || (port === "443" && scheme !== "http")
}

/** @throws AdapterError `invalid_option` for an invalid pattern. */
function toPattern(option: string, given: string): Pattern {
  const [, scheme, rest = ""] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/]*)\/?$/.exec(given.trim().toLowerCase()) ?? []
  const named = rest.startsWith("*.") ? rest.slice(2) : rest
  const below = named !== rest || rest === "*" || rest.startsWith("*:")
  const authority = rest === "*" ? { host: "", port: "" } : readAuthority(inBrackets(named).replace(/^\*(?=:)/, ANY))
  if (authority === undefined) {
    const expected =
      'expected a name such as "mcp.example", "mcp.example:8443", "https://mcp.example", "*.mcp.example" or "*"'
    throw new AdapterError(`the option "${option}" has ${JSON.stringify(given)}: ${expected}`, {
      code: "invalid_option",
    })
  }
  const host = authority.host === ANY ? "" : authority.host
  const port = authority.port || undefined
  return { below, host, ...(scheme !== undefined && { scheme }), ...(port !== undefined && { port }) }
}

/** Stands for any name during parsing; no real name begins so. */
const ANY = "_any_"

/** Puts brackets around an IPv6 address, as in URLs. */
function inBrackets(host: string): string {
  return /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/.test(host) ? `[${host}]` : host
}

/** @throws AdapterError `invalid_option` for an invalid header name. */
function checkHeader(name: string): string {
  if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && name !== "*") return name.toLowerCase()
  const message = `the option "allowedHeaders" has ${JSON.stringify(name)}: expected the name of a header, such as "X-Tenant"`
  throw new AdapterError(message, { code: "invalid_option" })
}
