import type { OptionRule } from "@x/tool-schemas/json"
import { AdapterError } from "../../adapter-error.js"
import { REFUSED } from "../server/rpc-error.js"
import { type Answer, type RequestHead, refuse } from "./exchange.js"

/** Which hosts and origins may reach a server. */
export interface GuardOptions {
  /**
   * The names that clients reach it by, as the `Host` header has them: `mcp.example`, `mcp.example:8443` for that port
   * only, `https://mcp.example`, an address, `*.mcp.example` for all names below it, `*` for any name at all. Default:
   * `localhost`, `127.0.0.1`, `[::1]`. This is what keeps a web page from reaching a local server under a name of its own
   * (DNS rebinding). One that cannot be understood is refused with `AdapterError` `invalid_option`.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * The origins a browser may call from, spelled as hosts are: without a scheme for any, without a port for any;
   * `<scheme>://*` for all extensions of a browser. They get CORS headers; any other `Origin` is a 403. Default: the names
   * of this machine, as for hosts.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Request headers of the application's own that a page may send, besides those of MCP and of what authenticates: where
   * `authenticate` or `principal` reads one, such as `X-Tenant`. Default: none.
   */
  readonly allowedHeaders?: readonly string[]
}

/** What each of {@link GuardOptions} may be; what they hold is checked where it is read. */
export const guardRules: Record<keyof GuardOptions, OptionRule> = {
  allowedHosts: "any",
  allowedOrigins: "any",
  allowedHeaders: "any",
}

/** Decides who may talk to an endpoint at all, before anything is read. */
export interface Guard {
  /** The answer that refuses a request by its `Host` or `Origin`; `undefined` where it may go on. */
  refuses(head: RequestHead): Answer | undefined
  /** {@link Guard.refuses} by the `Host` alone, for what any page may read. */
  refusesHost(head: RequestHead): Answer | undefined
  /** What lets a page of an allowed origin read the answer; `undefined` for what is no page's request. */
  shareWith(head: RequestHead): Readonly<Record<string, string>> | undefined
  /** Answers what a browser asks before it sends a page's request. */
  preflight(head: RequestHead): Answer
}

const LOCAL = ["localhost", "127.0.0.1", "[::1]"]

/**
 * The checks of `Host` and `Origin` (2026-07-28, basic/transports/streamable-http, security).
 *
 * @throws AdapterError `invalid_option` for a host, an origin or a header that is none.
 */
export function createGuard(options: GuardOptions): Guard {
  const hosts = (options.allowedHosts ?? LOCAL).map((given) => toPattern("allowedHosts", given))
  const origins = (options.allowedOrigins ?? LOCAL).map((given) => toPattern("allowedOrigins", given))
  const accepted = [...ACCEPTED, ...(options.allowedHeaders ?? []).map(checkHeader)]
  const refusesHost: Guard["refusesHost"] = ({ headers, url }) => {
    // Over HTTP/2 and 3 the URL alone has it.
    const asked = readAuthority(headers.get("host") ?? url.split("/", 3)[2] ?? "")
    if (asked === undefined) return refused(400, 'the header "Host" is no host')
    return hosts.some((pattern) => matches(pattern, asked))
      ? undefined
      : refused(403, 'the header "Host" is not allowed')
  }
  const refusesOrigin = ({ headers }: RequestHead): Answer | undefined => {
    const origin = headers.get("origin")
    if (origin === null) return undefined
    const asked = readOrigin(origin)
    const allowed = asked !== undefined && origins.some((pattern) => matches(pattern, asked))
    return allowed ? undefined : refused(403, 'the header "Origin" is not allowed')
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
      // A header for each annotated argument, named by the tool (2026-07-28, basic/transports/streamable-http).
      const params = asked.map((name) => name.trim().toLowerCase()).filter((name) => name.startsWith("mcp-param-"))
      const allowed = [...accepted, ...params].join(", ")
      return toPreflight(allowed)
    },
  }
}

/** What a browser is told that asks whether it may: here for as long as a day. */
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

function refused(status: number, message: string): Answer {
  return refuse(status, { code: REFUSED, message: `${message}: expected one that the server was told to serve` })
}

/** A host and its port, as a header has them; the scheme, where it is an origin. */
interface Authority {
  readonly scheme?: string | undefined
  readonly host: string
  readonly port: string
}

/** Names that are allowed; what is absent may be anything. */
interface Pattern {
  readonly scheme?: string | undefined
  /** Whether all names below `host` are meant, and not `host` itself; below nothing is any name. */
  readonly below: boolean
  readonly host: string
  readonly port?: string | undefined
}

/** A name, an IPv4 address or an IPv6 address in brackets, then perhaps a port. Underscores are no part of names, but of some networks. */
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

/** Whether a port is the one that was asked for: by number, or as the default of the scheme, of either where it is not known. */
function isPort(port: string, asked: Authority, expected: string | undefined): boolean {
  if (asked.port !== "") return port === asked.port
  const scheme = asked.scheme ?? expected
  return (port === "80" && scheme !== "https") || (port === "443" && scheme !== "http")
}

/** @throws AdapterError `invalid_option` for what names no hosts. */
function toPattern(option: string, given: string): Pattern {
  const [, scheme, rest = ""] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/]*)\/?$/.exec(given.trim().toLowerCase()) ?? []
  const named = rest.startsWith("*.") ? rest.slice(2) : rest
  const below = named !== rest || rest === "*" || rest.startsWith("*:")
  const authority = rest === "*" ? { host: "", port: "" } : readAuthority(inBrackets(named).replace(/^\*(?=:)/, ANY))
  if (authority === undefined) {
    const expected =
      'expected a name such as "mcp.example", "mcp.example:8443", "https://mcp.example", "*.mcp.example" or "*"'
    throw new AdapterError("invalid_option", `the option "${option}" has ${JSON.stringify(given)}: ${expected}`)
  }
  const host = authority.host === ANY ? "" : authority.host
  const port = authority.port || undefined
  return { below, host, ...(scheme !== undefined && { scheme }), ...(port !== undefined && { port }) }
}

/** Stands for any name while it is read; no name begins so. */
const ANY = "_any_"

/** An IPv6 address as URLs have it. */
function inBrackets(host: string): string {
  return /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/.test(host) ? `[${host}]` : host
}

/** @throws AdapterError `invalid_option` for what is no name of a header. */
function checkHeader(name: string): string {
  if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && name !== "*") return name.toLowerCase()
  const message = `the option "allowedHeaders" has ${JSON.stringify(name)}: expected the name of a header, such as "X-Tenant"`
  throw new AdapterError("invalid_option", message)
}
