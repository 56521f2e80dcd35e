import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { AgenticService, Principal } from "@x/agentic-service"
import { findPrincipalFault } from "@x/agentic-service/adapter"
import { fromWebSocket } from "@x/service-wire/websocket"
import type { OptionRule } from "@x/tool-schemas/json"
import type { Observable } from "rxjs"
import { WebSocketServer } from "ws"
import { PROTOCOL, PROTOCOL_NAME, TOKEN_PREFIX, turnAway } from "./bridge-frames.js"
import { BridgeError, checkOptions } from "./host/bridge-error.js"
import type { ConnectedTab } from "./host/page-apps.js"
import { defaultPageLimits, type PageHostOptions, pageHostRules } from "./host/page-options.js"
import { createPageHost } from "./host.js"
import { claimUpgrades, type UpgradeListener, type UpgradeServer } from "./upgrades.js"

export type { UpgradeListener, UpgradeServer }

/** How pages are accepted on an HTTP server. */
export interface AcceptOptions extends PageHostOptions {
  /** Where pages connect. Default `/mcp/pages`. Upgrades of other paths are left to others, and nobody else hears of these. */
  readonly path?: string
  /**
   * The origins whose pages are let in, exactly as browsers name them: `https://app.example`. Default: only pages of the very
   * host and port that they connect to.
   */
  readonly origins?: readonly string[]
  /**
   * The names and ports that pages may reach the server by, exactly as the `Host` header has them. Default: `localhost`,
   * `127.0.0.1` and `[::1]` with any port, and the hosts of `origins`. This is what keeps a page of the web from
   * reaching a local server under a name of its own.
   */
  readonly hosts?: readonly string[]
  /**
   * Says whose page it is, by the session of the application (a cookie) or by the token that the page offered; `undefined` where
   * it is nobody's. Default: whoever has a ticket or {@link AcceptedPages.token} is let in.
   */
  readonly authenticate?: (request: PageRequest) => Principal | undefined | Promise<Principal | undefined>
}

/** What is known of a page that wants to connect. */
export interface PageRequest {
  /** The request, with its cookies. */
  readonly request: IncomingMessage
  /** The token that the page offered, if any. */
  readonly token: string | undefined
  /** The origin that its browser named; `undefined` for a program that is no browser. */
  readonly origin: string | undefined
}

/** The pages that are connected: a service whose links are their applications. */
export interface AcceptedPages extends AgenticService {
  /** The pages of one principal, for `createMcpAdapter((principal) => pages.of(principal))`. */
  of(principal: Principal | undefined): AgenticService
  /** The tabs that are connected, now and whenever they are others. */
  readonly tabs: Observable<readonly ConnectedTab[]>
  /** Lets pages in that are nobody's in particular; new with each process. Absent where `authenticate` decides. */
  readonly token: string | undefined
  /** Makes a ticket that lets one page in, once, whatever `authenticate` says. */
  ticket(options?: TicketOptions): string
  /**
   * Says goodbye to all pages and stops accepting; idempotent. The server goes on. Call it before the server's own `close`, which
   * waits for the sockets of pages.
   */
  close(): void
}

const acceptRules: Record<keyof AcceptOptions, OptionRule> = {
  ...pageHostRules,
  path: "text",
  origins: "any",
  hosts: "any",
  authenticate: "function",
}

/**
 * Accepts the pages of an application on its own server, over WebSockets. Who may connect is decided before a page is heard: by
 * `Host`, by its exact origin, then by token, ticket or session.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { acceptPages } from "@x/page-bridge/node"
 *
 * const server = createServer()
 * const pages = acceptPages(server, { origins: ["https://board.example"] })
 * const adapter = createMcpAdapter(pages)
 * adapter.close()
 * pages.close()
 * ```
 */
export function acceptPages(server: UpgradeServer, options: AcceptOptions = {}): AcceptedPages {
  checkOptions(options, acceptRules)
  const { path = "/mcp/pages", origins, hosts, authenticate, ...rest } = options
  const guard = createGuard(origins, hosts)
  const host = createPageHost(rest)
  const tickets = createTickets()
  const token = authenticate === undefined ? randomBytes(32).toString("base64url") : undefined
  const sockets = new WebSocketServer({
    noServer: true,
    // A frame of as many UTF-16 units takes at most three bytes for each.
    maxPayload: (rest.limits?.frame ?? defaultPageLimits.frame) * 3,
    perMessageDeflate: false,
    allowSynchronousEvents: false,
    // A page of another version is let in as far as it takes to tell it so.
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
            turnAway(fromWebSocket(opened), "version", `this host speaks "${PROTOCOL}", the page does not`)
          else if (admitted === undefined)
            turnAway(fromWebSocket(opened), "unauthorized", "the page has no right to connect, or not any more")
          else host.accept(fromWebSocket(opened), { origin: originOf(request), principal: admitted.principal })
        })
      },
      (cause: unknown) => {
        // biome-ignore lint/suspicious/noConsole: the page hears of a 500 only, and its author of nothing else
        globalThis.console?.error(`@x/page-bridge: a page was not let in: ${BridgeError.from(cause).message}`, cause)
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

/** Decides by the head alone who is not to be heard at all; `undefined` for who may go on. */
type Guard = (request: IncomingMessage) => 400 | 403 | undefined

function createGuard(origins: AcceptOptions["origins"], hosts: AcceptOptions["hosts"]): Guard {
  const exact = origins?.map(toOrigin)
  const named = hosts?.map((host) => host.toLowerCase()) ?? exact?.map((origin) => new URL(origin).host) ?? []
  const isHost = (host: string): boolean => named.includes(host) || (hosts === undefined && LOCAL.test(host))
  const isOrigin = (origin: string, host: string): boolean =>
    exact === undefined ? origin === `http://${host}` || origin === `https://${host}` : exact.includes(origin)
  return ({ headers: { host, origin } }) => {
    if (host === undefined) return 400
    if (!isHost(host.toLowerCase())) return 403
    return origin === undefined || isOrigin(origin, host.toLowerCase()) ? undefined : 403
  }
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** An origin as browsers write it: what is not exactly one would never match, and nobody would know why. */
function toOrigin(given: string): string {
  const read = URL.canParse(given) ? new URL(given).origin : "null"
  if (read === given && read !== "null") return read
  const hint = read === "null" ? 'such as "https://app.example"' : `did you mean "${read}"?`
  throw new BridgeError(`the option "origins" has ${JSON.stringify(given)}: expected an exact origin, ${hint}`, {
    code: "invalid_option",
  })
}

interface AdmissionOptions {
  readonly tickets: Tickets
  readonly token: string | undefined
  readonly authenticate: AcceptOptions["authenticate"]
}

/** Says whose page it is; `undefined` where it is nobody's. */
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

/** Reads what `authenticate` gave, which may come from code without types. */
function readPrincipal(given: unknown): { readonly principal: Principal } | undefined {
  if (given === undefined || given === null || given === false) return undefined
  const fault = findPrincipalFault(given)
  if (fault !== undefined)
    throw new BridgeError(`"authenticate" gave a principal that is none, ${fault}`, { code: "unexpected" })
  return { principal: given as Principal } // what the lines above have looked at
}

function readToken({ headers }: IncomingMessage): string | undefined {
  const offered = headers["sec-websocket-protocol"]?.split(",").map((one) => one.trim()) ?? []
  const found = offered.find((one) => one.startsWith(TOKEN_PREFIX))
  return found && Buffer.from(found.slice(TOKEN_PREFIX.length), "base64url").toString("utf8")
}

function originOf({ headers: { origin, host } }: IncomingMessage): string {
  return origin ?? `http://${host}`
}

/** What a ticket is good for. */
export interface TicketOptions {
  /** Whose pages it lets in. Default: those of nobody in particular. */
  readonly principal?: Principal
  /** For how long it is good, in milliseconds. Default 60,000. */
  readonly expiresInMs?: number
}

/** Tickets that let one page in, once. */
interface Tickets {
  /** Makes one: 256 bits, not to be guessed. */
  issue(options?: TicketOptions): string
  /** Takes one back: whose page it lets in, once; `undefined` where it is none, was used, or is too old. */
  redeem(ticket: string): { readonly principal: Principal | undefined } | undefined
}

/** No tickets yet. */
function createTickets(): Tickets {
  const issued = new Map<string, { readonly principal: Principal | undefined; readonly until: number }>()
  const forget = (): void => {
    const now = Date.now()
    // In the order in which they were issued; most have the same time to live.
    for (const [key, { until }] of issued) if (until < now || issued.size > MOST) issued.delete(key)
  }
  return {
    issue({ principal, expiresInMs = 60_000 } = {}) {
      const fault = principal === undefined ? undefined : findPrincipalFault(principal)
      if (fault !== undefined)
        throw new BridgeError(`the principal of a ticket is none: ${fault}`, { code: "invalid_option" })
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

/** Looked up by its digest, so that how long a look takes says nothing of the ticket. */
function digest(ticket: string): string {
  return createHash("sha256").update(ticket).digest("base64")
}

/** Whether two secrets are the same, in a time that says nothing of where they differ. */
function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)))
}
