import { Client } from "@modelcontextprotocol/client"
import type { Calls } from "./calls/call-tool.js"
import { toCapabilities } from "./calls/client-request.js"
import type { OpenOwn } from "./calls/own-connection.js"
import { listAll } from "./definitions/list-all.js"
import type { Counted } from "./life/holdings.js"
import type { Occupant } from "./life/occupant.js"
import { type Dial, type DialSignIn, follow, openSession, reasonOf, type Session } from "./life/session.js"
import { hear } from "./mirror/follow-changes.js"
import type { Redact } from "./trust/redact.js"
import type { Askable, UpstreamEvent, UpstreamLimits, UpstreamOptions } from "./upstream.js"
import { UpstreamError } from "./upstream-error.js"

/** The way to a server. */
export interface Route {
  /** How to dial the server, or a client that the application has connected. */
  readonly to: Dial | Client
  /** Secrets, removed from every message and event. */
  readonly secrets?: readonly string[]
}

/** Dependencies that all parts of an upstream share. */
export interface Base {
  readonly limits: UpstreamLimits
  readonly holdings: Counted
  /** The server's name in labels. */
  readonly label: string
  /** The kinds of requests that the server may make. */
  readonly mayAsk: readonly Askable[]
  readonly redact: Redact
  readonly emit: (event: UpstreamEvent) => void
}

/**
 * Returns the server's name in labels: as the operator configured it, or else its address; never the name that it gives itself.
 */
export function labelOf({ to }: Route, { name }: UpstreamOptions): string {
  return name ?? (to instanceof Client ? "unnamed" : to.label)
}

/** Returns the name that a connected client's server gives itself. */
export function nameOf({ to }: Route): string | undefined {
  return to instanceof Client ? to.getServerVersion()?.name : undefined
}

/** Returns the sign-in of a server, if the application provided one. */
export function signInOf({ to }: Route): DialSignIn | undefined {
  return to instanceof Client ? undefined : to.signIn
}

/**
 * Finishes the sign-in of a server.
 *
 * @throws UpstreamError `unauthorized` if the server refuses it; `invalid_option` if there is no sign-in.
 */
export async function finishSignIn(route: Route, callback: URLSearchParams, { redact }: Base): Promise<void> {
  const signIn = signInOf(route)
  if (signIn === undefined) {
    const expected = 'expected a "url" with an "auth" that signs in, an OAuthClientProvider'
    throw new UpstreamError(`the server has no sign-in to finish: ${expected}`, { code: "invalid_option" })
  }
  await signIn.finish(callback).catch((cause: unknown) => {
    const remedy = "reconnect to open another page"
    throw new UpstreamError(`the sign-in was refused: ${redact(reasonOf(cause))}`, {
      code: "unauthorized",
      cause,
      remedy,
    })
  })
}

/** Creates the function that connects over a route. */
export function createOpen(
  { to }: Route,
  { era = "auto" }: UpstreamOptions,
  base: Base & { prepare(client: Client): void },
): (signal: AbortSignal) => Promise<Session> {
  const { limits, holdings, emit, prepare } = base
  const { connectMs, heartbeatMs } = limits
  if (to instanceof Client)
    return async () => {
      const session = follow(to, { heartbeatMs, holdings }, holdings.open("connections"))
      // The application closes its own client.
      return { ...session, close: async () => session.fail("it was closed") }
    }
  let why: string | undefined
  let attempt = era
  const ears = {
    stderr: (line: string): void => emit({ type: "stderr", line }),
    child: (): (() => void) => holdings.open("children"),
    ended(reason: string): void {
      why = reason
    },
  }
  return async (signal) => {
    why = undefined
    const capabilities = toCapabilities(base.mayAsk)
    const options = { capabilities, era: attempt, connectMs, heartbeatMs, holdings, ears, prepare, why: () => why }
    return openSession(to, options, signal).catch((cause: unknown) => {
      // A server may exit at the modern era's first request because it does not know it, so the next attempt tries the other
      // era.
      if (era === "auto" && why !== undefined) attempt = attempt === "auto" ? "legacy" : "auto"
      throw cause
    })
  }
}

/** The connections that single calls have for themselves. */
export interface OwnConnections {
  /** Opens a connection. */
  readonly open: OpenOwn
  /** Closes all connections. Settles once they are closed. */
  close(): Promise<void>
}

/** Creates a function that opens a connection for a single call; all messages on it belong to that call. */
export function createOwnConnections(
  route: Route,
  options: UpstreamOptions,
  base: Base & { readonly occupant: Pick<Occupant, "current" | "isSame">; calls(): Pick<Calls, "log" | "ask"> },
): OwnConnections {
  const { occupant, limits } = base
  const open = new Set<Session>()
  const closing = new AbortController()
  const nobody = { changed: () => undefined, updated: () => true }
  const dial = createOpen(
    route,
    { ...options, era: "legacy" },
    {
      ...base,
      prepare: (client) =>
        hear(client, {
          ...base,
          ...base.calls(),
          lists: nobody,
          members: nobody,
          peer: nobody,
        }),
    },
  )
  return {
    async open(thing, signal) {
      const session = await dial(AbortSignal.any([signal, closing.signal]))
      open.add(session)
      void session.lost.then(() => open.delete(session))
      const bounds = { most: limits.items, timeoutMs: limits.requestMs, signal }
      const tools = await listAll(session.client, "tools", bounds).catch(async (cause: unknown) => {
        await session.close()
        throw cause
      })
      if (occupant.current() === thing && occupant.isSame(session, tools.items)) return session
      await session.close()
      return undefined
    },
    async close() {
      closing.abort()
      await Promise.all([...open].map((session) => session.close()))
    },
  }
}
