import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { AgenticService, Principal } from "@x/agentic-service"
import { findPrincipalFault } from "@x/agentic-service/adapter"
import type { OptionRule } from "@x/base"
import { fromWebSocket } from "@x/service-wire/websocket"
import type { Observable } from "rxjs"
import { WebSocketServer } from "ws"
import { PROTOCOL, PROTOCOL_NAME, TOKEN_PREFIX, turnAway } from "./bridge-frames.js"
import { BridgeError, checkOptions } from "./host/bridge-error.js"
import type { ConnectedTab } from "./host/page-apps.js"
import { defaultPageLimits, type PageHostOptions, pageHostRules } from "./host/page-options.js"
import { createPageHost } from "./host.js"
import { claimUpgrades, type UpgradeListener, type UpgradeServer } from "./upgrades.js"

export type { UpgradeListener, UpgradeServer }

/** Options for accepting pages on an HTTP server. */
export interface AcceptOptions extends PageHostOptions {
  /**
   * The path on which pages connect. Default `/mcp/pages`. Other listeners do not see its upgrades, and handle those of other
   * paths.
   */
  readonly path?: string
  /**
   * The origins whose pages may connect, exactly as browsers send them: `https://app.example`. Default: only pages of the same
   * host and port that they connect to.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * The host names through which pages may reach the server, as in the `Host` header; without a port for any port. Default:
   * `localhost`, `127.0.0.1` and `[::1]` with any port, and the hosts of `allowedOrigins`. This check stops DNS rebinding: a web page that reaches
   * a local server under its own name.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Returns the page's principal, determined by the application's session (a cookie) or by the token that the page sent;
   * `undefined` rejects the page. Default: a ticket or {@link AcceptedPages.token} admits a page.
   */
  readonly authenticate?: (request: PageRequest) => Principal | undefined | Promise<Principal | undefined>
}

/** A page that wants to connect. */
export interface PageRequest {
  /** The upgrade request, with its cookies. */
  readonly request: IncomingMessage
  /** The token that the page sent, if any. */
  readonly token: string | undefined
  /** The browser's `Origin` header; `undefined` for programs other than browsers. */
  readonly origin: string | undefined
}

/** The connected pages: a service with a link per application. */
export interface AcceptedPages extends AgenticService {
  /** Returns one principal's pages, for `createMcpAdapter((principal) => pages.of(principal))`. */
  of(principal: Principal | undefined): AgenticService
  /** The connected tabs and their changes. */
  readonly tabs: Observable<readonly ConnectedTab[]>
  /** The token that admits pages without a principal; new in each process. Absent if `authenticate` is given. */
  readonly token: string | undefined
  /** Creates a ticket that admits one page, once, whatever `authenticate` returns. */
  ticket(options?: TicketOptions): string
  /**
   * Says goodbye to all pages and stops accepting; idempotent. The server stays open. Call it before the server's own `close`,
   * which waits for the pages' sockets.
   */
  close(): void
}

const acceptRules: Record<keyof AcceptOptions, OptionRule> = {
  ...pageHostRules,
  path: "text",
  allowedOrigins: "any",
  allowedHosts: "any",
  authenticate: "function",
}

/**
 * Accepts an application's pages on its own server, over WebSockets. Pages are checked before they are heard: by `Host`, by
 * exact origin, then by token, ticket or session.
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { acceptPages } from "@x/page-bridge/node"
 *
 * const server = createServer()
 * const pages = acceptPages(server, { allowedOrigins: ["https://board.example"] })
 * const adapter = createMcpAdapter(pages)
 * adapter.close()
 * pages.close()
 * ```
 */
export function acceptPages(server: UpgradeServer, options: AcceptOptions = {}): AcceptedPages {
  checkOptions(options, acceptRules)
  const { path = "/mcp/pages", allowedOrigins, allowedHosts, authenticate, ...rest } = options
  const guard = createGuard(allowedOrigins, allowedHosts)
  const host = createPageHost(rest)
  const tickets = createTickets()
  const token = authenticate === undefined ? randomBytes(32).toString("base64url") : undefined
  const sockets = new WebSocketServer({
    noServer: true,
    // Each UTF-16 unit of a frame takes up to three bytes.
    maxPayload: (rest.limits?.frame ?? defaultPageLimits.frame) * 3,
    perMessageDeflate: false,
    allowSynchronousEvents: false,
    // A page of another protocol version is connected, so that it can be rejected with a reason.
    handleProtocols: (offered) => [...offered].find((name) => name.startsWith(PROTOCOL_NAME)) ?? false,
  })
  const admit = createAdmission({ tickets, token, authenticate })

  const upgrade: UpgradeListener = (request, socket, head) => {
    const refused = guard(request)
    if (refused !== undefined) {
      refuse(socket, refused)
      return
    }
    socket.on("error", () => socket.destroy())
    admit(request).then(
      (admitted) => {
        if (admitted === undefined && request.headers.origin === undefined) return refuse(socket, 401)
        sockets.handleUpgrade(request, socket, head, (opened) => {
          if (opened.protocol !== PROTOCOL)
            turnAway(
              fromWebSocket(opened),
              "version",
              `found a page without the subprotocol "${PROTOCOL}": use the same version of @x/page-bridge in page and host`,
            )
          else if (admitted === undefined)
            turnAway(
              fromWebSocket(opened),
              "unauthorized",
              "the page is not authorized to connect: sign in again or use a fresh token",
            )
          else host.accept(fromWebSocket(opened), { origin: originOf(request), principal: admitted.principal })
        })
      },
      (cause: unknown) => {
        // biome-ignore lint/suspicious/noConsole: the page only gets a 500, so its author needs this message
        globalThis.console?.error(
          `@x/page-bridge: a page was rejected because of an error: ${BridgeError.from(cause).message}`,
          cause,
        )
        refuse(socket, 500)
      },
    )
  }
  const release = claimUpgrades(server, path, upgrade)

  return Object.assign(host.service, {
    of: host.of,
    tabs: host.tabs,
    token,
    ticket: tickets.issue,
    close() {
      release()
      host.close()
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  })
}

function refuse(socket: Duplex, status: 400 | 401 | 403 | 500): void {
  socket.on("error", () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

const REASONS = { 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 500: "Internal Server Error" } as const

/** Checks the headers and returns the status to reject with, or `undefined` to continue. */
type Guard = (request: IncomingMessage) => 400 | 403 | undefined

function createGuard(origins: AcceptOptions["allowedOrigins"], hosts: AcceptOptions["allowedHosts"]): Guard {
  const exact = origins?.map(toOrigin)
  const named = hosts?.map((host) => host.toLowerCase()) ?? exact?.map((origin) => new URL(origin).host) ?? []
  const isHost = (host: string): boolean =>
    named.includes(host) || (hosts === undefined ? LOCAL.test(host) : named.includes(host.replace(/:\d+$/, "")))
  const isOrigin = (origin: string, host: string): boolean =>
    exact === undefined ? origin === `http://${host}` || origin === `https://${host}` : exact.includes(origin)
  return ({ headers: { host, origin } }) => {
    if (host === undefined) return 400
    if (!isHost(host.toLowerCase())) return 403
    return origin === undefined || isOrigin(origin, host.toLowerCase()) ? undefined : 403
  }
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Checks an origin's spelling: one that browsers never send would silently match no page. */
function toOrigin(given: string): string {
  const read = URL.canParse(given) ? new URL(given).origin : "null"
  if (read === given && read !== "null") return read
  const hint = read === "null" ? 'such as "https://app.example"' : `did you mean "${read}"?`
  throw new BridgeError(`option "allowedOrigins" has ${JSON.stringify(given)}: expected an exact origin, ${hint}`, {
    code: "invalid_option",
  })
}

interface AdmissionOptions {
  readonly tickets: Tickets
  readonly token: string | undefined
  readonly authenticate: AcceptOptions["authenticate"]
}

/** Resolves with the page's principal, or `undefined` to reject the page. */
type Admission = (request: IncomingMessage) => Promise<{ readonly principal: Principal | undefined } | undefined>

function createAdmission({ tickets, token, authenticate }: AdmissionOptions): Admission {
  return async (request) => {
    const offered = readToken(request)
    const ticket = offered === undefined ? undefined : tickets.redeem(offered)
    if (ticket !== undefined) return ticket
    if (authenticate === undefined) {
      const good = offered !== undefined && token !== undefined && sameSecret(offered, token)
      return good ? { principal: undefined } : undefined
    }
    return readPrincipal(await authenticate({ request, token: offered, origin: request.headers.origin }))
  }
}

/** Checks the result of `authenticate`, which may come from untyped code. */
function readPrincipal(given: unknown): { readonly principal: Principal } | undefined {
  if (given === undefined || given === null || given === false) return undefined
  const fault = findPrincipalFault(given)
  if (fault !== undefined)
    throw new BridgeError(`"authenticate" returned an invalid principal: ${fault}`, { code: "unexpected" })
  return { principal: given as Principal } // checked above
}

function readToken({ headers }: IncomingMessage): string | undefined {
  const offered = headers["sec-websocket-protocol"]?.split(",").map((one) => one.trim()) ?? []
  const found = offered.find((one) => one.startsWith(TOKEN_PREFIX))
  return found && Buffer.from(found.slice(TOKEN_PREFIX.length), "base64url").toString("utf8")
}

function originOf({ headers: { origin, host } }: IncomingMessage): string {
  return origin ?? `http://${host}`
}

/** Options of a ticket. */
export interface TicketOptions {
  /** The principal whose page it admits. Default: none. */
  readonly principal?: Principal
  /** How long the ticket is valid, in milliseconds. Default 60,000. */
  readonly expiresInMs?: number
}

/** Tickets that admit one page, once. */
interface Tickets {
  /** Creates a ticket of 256 random bits. */
  issue(options?: TicketOptions): string
  /** Redeems a ticket and returns its principal. Returns `undefined` if it is unknown, used or expired. */
  redeem(ticket: string): { readonly principal: Principal | undefined } | undefined
}

/** Creates an empty set of tickets. */
function createTickets(): Tickets {
  const issued = new Map<string, { readonly principal: Principal | undefined; readonly until: number }>()
  const forget = (): void => {
    const now = Date.now()
    // Oldest first; most tickets have the same lifetime.
    for (const [key, { until }] of issued) if (until < now || issued.size > MOST) issued.delete(key)
  }
  return {
    issue({ principal, expiresInMs = 60_000 } = {}) {
      const fault = principal === undefined ? undefined : findPrincipalFault(principal)
      if (fault !== undefined)
        throw new BridgeError(`a ticket's principal is invalid: ${fault}`, { code: "invalid_option" })
      forget()
      const ticket = randomBytes(32).toString("base64url")
      issued.set(digest(ticket), { principal, until: Date.now() + expiresInMs })
      return ticket
    },
    redeem(ticket) {
      const key = digest(ticket)
      const found = issued.get(key)
      issued.delete(key)
      return found === undefined || found.until < Date.now() ? undefined : { principal: found.principal }
    },
  }
}

const MOST = 10_000

/** Hashes a ticket before the lookup, so that the lookup's timing reveals nothing about it. */
function digest(ticket: string): string {
  return createHash("sha256").update(ticket).digest("base64")
}

/** Compares two secrets in constant time. */
function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)))
}
