import type { Principal } from "@x/agentic-service"
import { sameValue } from "@x/base"
import { BehaviorSubject, Observable } from "rxjs"
import type { Upstream, UpstreamEvent } from "../upstream.js"
import { withCredentials } from "./caller-credentials.js"
import type { GatewayServer } from "./gateway-config.js"
import type { ShownServer } from "./gateway-root.js"

/** One caller's own connections to the servers with `perCaller`. */
export interface OwnServers {
  /** Emits the servers. Their connections are open while there is a subscriber. */
  readonly shown: Observable<readonly ShownServer[]>
  /** Whether the connections are open. */
  isOpen(): boolean
  /** Applies the servers of the newest configuration. */
  renew(): void
  /** Closes the connections. */
  close(): void
}

/** Connects servers, and limits the callers with own connections. */
export interface OwnServersSite {
  /** The most callers with connections at once. */
  readonly max: number
  /** Creates the upstream of a server. */
  start(name: string, server: GatewayServer): Upstream
  /** Called for each event. */
  emit(event: { readonly server: string; readonly caller: string; readonly event: UpstreamEvent }): void
}

/** Configured servers with `perCaller`, by name. */
export type Servers = ReadonlyMap<string, GatewayServer>

/** The current configuration, and the listeners of one caller's connections. */
export interface OwnServersEars {
  /** Returns the current servers. */
  servers(): Servers
  /** Whether no further caller may connect. */
  isFull(): boolean
  /** Receives the end of each connection. */
  note(ended: Promise<unknown>): void
  /** Called when the connections are closed, because they have no user. */
  left(): void
}

/** Creates a caller's connections, which open with the first subscriber. */
export function createOwnServers(principal: Principal, site: OwnServersSite, ears: OwnServersEars): OwnServers {
  const running = new Map<string, { readonly server: GatewayServer; readonly upstream: Upstream }>()
  const own = new BehaviorSubject<readonly ShownServer[]>([])
  let users = 0

  const begin = (name: string, server: GatewayServer): void => {
    const upstream = site.start(name, server)
    running.set(name, { server, upstream })
    upstream.events.subscribe((event) => site.emit({ server: name, caller: principal.id, event }))
  }
  const stop = (name: string): void => {
    const ended = running.get(name)?.upstream.close()
    running.delete(name)
    if (ended !== undefined) ears.note(ended)
  }
  const wantedNow = (): Servers => {
    const all = credentialed(ears.servers(), principal)
    if (all.size === 0 || !ears.isFull()) return all
    const message = `the limit of ${site.max} callers with connections of their own is reached: this caller gets none until another one leaves`
    for (const server of all.keys())
      site.emit({
        server,
        caller: principal.id,
        event: { type: "diagnostic", code: "too_many_callers", message },
      })
    return new Map()
  }
  const renew = (): void => {
    const wanted = wantedNow()
    for (const [name, { server }] of [...running]) if (!sameValue(wanted.get(name), server)) stop(name)
    for (const [name, server] of wanted) if (!running.has(name)) begin(name, server)
    own.next([...running].map(toShown))
  }
  const close = (): void => {
    for (const name of [...running.keys()]) stop(name)
    own.next([])
  }
  return {
    shown: new Observable((subscriber) => {
      users += 1
      if (users === 1) renew()
      const subscription = own.subscribe(subscriber)
      return () => {
        subscription.unsubscribe()
        users -= 1
        if (users > 0) return
        close()
        ears.left()
      }
    }),
    isOpen: () => users > 0,
    renew,
    close,
  }
}

/** Returns the entries of a caller with credentials; those without are left out. */
export function credentialed(servers: Servers, principal: Principal): Servers {
  const all = [...servers].flatMap(([name, server]) => {
    const own = withCredentials(server, principal)
    return own === undefined ? [] : [[name, own] as const]
  })
  return new Map(all)
}

function toShown([key, { server, upstream }]: readonly [
  string,
  { readonly server: GatewayServer; readonly upstream: Upstream },
]): ShownServer {
  return { key, prefix: server.as ?? key, server: upstream, description: server.description }
}
