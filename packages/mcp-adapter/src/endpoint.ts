import type { Principal } from "@x/agentic-service"
import type { Observable } from "rxjs"
import type { CallContext, ClientInfo, Leg } from "./calls/call-context.js"
import type { ToolDefinition } from "./catalogue/entry.js"
import type { ServerNotice } from "./handlers/extension.js"
import type { Handler, Handlers } from "./handlers/handler.js"
import type { Capabilities } from "./handlers/methods.js"
import type { Subscriptions } from "./handlers/resources.js"
import type { Path } from "./names/path.js"
import type { Host } from "./runtime/host.js"
import type { View } from "./views/view.js"

/** An adapter as one kind of server shows it: what every binding needs, and all it needs. */
export interface Endpoint {
  /** The server's name and version, as clients see them. */
  readonly info: {
    /** The adapter's name. */
    readonly name: string
    /** The adapter's version. */
    readonly version: string
  }
  /** What the server can do over `leg`; the same at any time, also with nothing listed. */
  capabilities(leg: Leg): Capabilities
  /** Takes a lease on the principal's view, for one pipe, session, stream or request. */
  open(principal: Principal | undefined): Connection
  /**
   * Whether there is something to serve at a path of links for a principal, once its services have spoken: always at the
   * empty one, at others only where links are endpoints.
   */
  reaches(path: Path, principal: Principal | undefined): Promise<boolean>
  /** {@link Endpoint.open} for what a path of links leads to; `undefined` where there is nothing to serve. */
  openAt(path: Path, principal: Principal | undefined): Connection | undefined
  /**
   * What the clients of a view are to be told that are shown no exposure of their own: its notices and an extension's. Never
   * errors; completes with the view.
   */
  notices(view: View): Observable<ServerNotice>
  /** Whether actions ask for scopes: see {@link Connection.lacks}. */
  readonly scoped: boolean
  /** Time, what is held, and who is told. */
  readonly host: Host
}

/** One lease on a view, with the handlers that answer from it. */
export interface Connection {
  /** What this caller may see. The same object for every connection of the same visibility. */
  readonly view: View
  /** What a client may tell its model about the server, and about the services in the view as far as they have told. */
  instructions(): string | undefined
  /** What each method answers, the same in both eras. */
  readonly handlers: Handlers
  /** The handler of a method, where no extension has a hand in it; `undefined` where one has, or there is none. */
  ownHandler(method: string): Handler | undefined
  /**
   * The adapter's own tools that are listed now to a client for which no other exposure is chosen, for those who look at
   * lists without being handed one.
   */
  builtIns(): readonly ToolDefinition[]
  /** Whether a tool name means something here: it is listed, known though not available now, or another name of either. */
  knows(tool: string): boolean
  /**
   * The scopes that a caller lacks for a call of a tool with arguments, once the services have spoken; of what is run by the
   * adapter's own tools as well. Absent where no action asks for any.
   */
  readonly lacks?: (name: string, args: unknown, principal: Principal | undefined) => Promise<readonly string[]>
  /** {@link Endpoint.notices}, as this client is shown the view; the client of a legacy connection says what it is. */
  notices(client: ClientInfo | undefined): Observable<ServerNotice>
  /** The legacy era's resource subscriptions of this connection, made when they are first asked for. */
  subscriptions(): Subscriptions
  /** Gives the lease and the subscriptions back; idempotent. */
  release(): void
}

/** What is fixed about a caller for the life of its connection. */
export type Caller = Pick<CallContext, "principal" | "client" | "session" | "leg">
