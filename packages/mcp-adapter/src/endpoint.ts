import type { Principal } from "@x/agentic-service"
import type { Observable } from "rxjs"
import type { CallContext, ClientInfo, Leg } from "./calls/call-context.js"
import type { ToolDefinition } from "./catalogue/entry.js"
import type { ListedItemTool } from "./exposures/exposure.js"
import type { ServerNotice } from "./handlers/extension.js"
import type { Handler, Handlers, Result } from "./handlers/handler.js"
import type { Capabilities } from "./handlers/methods.js"
import type { Subscriptions } from "./handlers/resources.js"
import type { Path } from "./names/path.js"
import type { Host } from "./runtime/host.js"
import type { View } from "./views/view.js"

/** An adapter in the form that one kind of server shows. Bindings need nothing else. */
export interface Endpoint {
  /** The server's name and version, as clients see them. */
  readonly info: {
    /** The adapter's name. */
    readonly name: string
    /** The adapter's version. */
    readonly version: string
  }
  /** Returns the server's capabilities over `leg`. They never change, even if no tool is listed. */
  capabilities(leg: Leg): Capabilities
  /**
   * Takes a lease on the principal's view, for one pipe, session, stream or request.
   *
   * @param client - What the client says it is. Default: it has said nothing yet.
   */
  open(principal: Principal | undefined, client?: ClientInfo): Connection
  /**
   * Checks whether a principal can reach a service at a path of links, once the services are ready. Always true for the empty
   * path; for others only if links are endpoints.
   */
  reaches(path: Path, principal: Principal | undefined): Promise<boolean>
  /** Does the same as {@link Endpoint.open} for the service at a path of links. Returns `undefined` if there is none. */
  openAt(path: Path, principal: Principal | undefined, client?: ClientInfo): Connection | undefined
  /**
   * Returns the notices for clients of a view that get the usual exposure, an extension's notices included. Never errors;
   * completes with the view.
   */
  notices(view: View): Observable<ServerNotice>
  /** The tasks of callers, in the form of the extension `io.modelcontextprotocol/tasks`. Absent if calls are not handed over. */
  readonly tasks?: EndpointTasks
  /** Whether actions require scopes: see {@link Connection.lacks}. */
  readonly scoped: boolean
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/** The tasks of callers. */
export interface EndpointTasks {
  /** Returns a caller's own task in full. Returns `undefined` for any other. Rejects if the store fails. */
  find(id: string, caller: Pick<CallContext, "principal">): Promise<Result | undefined>
  /** Tells of each change of a task that {@link EndpointTasks.find} returned, in full, until the returned function is called. */
  watch(id: string, tell: (task: Result) => void): () => void
}

/** A lease on a view, including its handlers. */
export interface Connection {
  /** The caller's view. All connections of the same visibility share one object. Another object once the caller's profile changes. */
  readonly view: View
  /** {@link View.settled} of the current view. Completes with it. */
  readonly settled: Observable<void>
  /** Notes the client's description of itself, which may choose another profile. Absent if the adapter has no profiles. */
  introduce?(client: ClientInfo): void
  /** Emits once the caller has another profile, and so another view. Absent if the adapter has no profiles. */
  readonly replaced?: Observable<void>
  /** Returns instructions for the client's model about the server and the services that are ready in the view. */
  instructions(): string | undefined
  /** The handler of each method, for both eras. */
  readonly handlers: Handlers
  /** Returns a method's handler. Returns `undefined` when an extension takes part, or no handler exists. */
  ownHandler(method: string): Handler | undefined
  /** Returns the adapter's own tools that clients with the usual exposure see, for features that inspect lists themselves. */
  builtIns(): readonly ToolDefinition[]
  /** Returns the listed tools that stand for actions of several items, for such features. Only `grouped` has any. */
  itemTools(): readonly ListedItemTool[]
  /** Checks whether a tool name is known here: listed, known but unavailable, or an alias of such a tool. */
  knows(tool: string): boolean
  /**
   * Returns the scopes that a caller lacks for a tool call, once the services are ready. An action run through one of the
   * adapter's own tools counts as well. Absent if no action requires scopes.
   */
  readonly lacks?: (name: string, args: unknown, principal: Principal | undefined) => Promise<readonly string[]>
  /**
   * Does the same as {@link Endpoint.notices} for the exposure of this client. The client of a legacy connection declares its
   * name.
   */
  notices(client: ClientInfo | undefined): Observable<ServerNotice>
  /** Returns this connection's resource subscriptions of the legacy era, created on first use. */
  subscriptions(): Subscriptions
  /** Releases the lease and the subscriptions. Idempotent. */
  release(): void
}

/** The caller's fixed properties during a connection. */
export type Caller = Pick<CallContext, "principal" | "client" | "session" | "leg" | "header">
