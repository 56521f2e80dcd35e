import { Client } from "@modelcontextprotocol/client"
import type { Calls } from "./calls/call-tool.js"
import type { OpenOwn } from "./calls/own-connection.js"
import type { Counted } from "./life/holdings.js"
import type { Occupant } from "./life/occupant.js"
import { type Dial, follow, openSession, type Session } from "./life/session.js"
import { hear } from "./mirror/follow-changes.js"
import { listAll } from "./mirror/list-all.js"
import type { Redact } from "./trust/redact.js"
import type { UpstreamEvent, UpstreamLimits, UpstreamOptions } from "./upstream.js"

/** What leads to a server. */
export interface Route {
  /** How it is dialled; or a client that is connected already, and somebody else's. */
  readonly to: Dial | Client
  /** What must never be told. */
  readonly secrets?: readonly string[]
}

/** What every part stands on. */
export interface Base {
  readonly limits: UpstreamLimits
  readonly holdings: Counted
  readonly redact: Redact
  readonly emit: (event: UpstreamEvent) => void
}

/** The server's name in labels: as the operator configured it, or how it is reached; never what it calls itself. */
export function labelOf({ to }: Route, { name }: UpstreamOptions): string {
  return name ?? (to instanceof Client ? "unnamed" : to.label)
}

/** Makes what opens a connection on a route. */
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
      // It is not ours to close.
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
    const options = { era: attempt, connectMs, heartbeatMs, holdings, ears, prepare, why: () => why }
    return openSession(to, options, signal).catch((cause: unknown) => {
      // A server may end at a question that it does not know, as the one for the modern era is to it.
      if (era === "auto" && why !== undefined) attempt = attempt === "auto" ? "legacy" : "auto"
      throw cause
    })
  }
}

/** Connections that calls have for themselves. */
export interface OwnConnections {
  /** Opens one. */
  readonly open: OpenOwn
  /** Closes all; settles once they are gone. */
  close(): Promise<void>
}

/** Makes what opens connections for single calls, on which nothing but the call is heard. */
export function createOwnConnections(
  route: Route,
  options: UpstreamOptions,
  base: Base & { readonly occupant: Pick<Occupant, "current" | "isSame">; calls(): Pick<Calls, "log" | "elicit"> },
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
      prepare: (client) => hear(client, { ...base, ...base.calls(), lists: nobody, members: nobody, peer: nobody }),
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
