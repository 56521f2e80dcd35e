import type { Meta } from "@x/agentic-service"
import type { Observable } from "rxjs"
import type { Listed } from "./upstream.js"

/** The parts of one server that are neither tools nor states, as read by `mcpExtension`. */
export interface Peer {
  /** Returns its current prompts, as it lists them. */
  prompts(): readonly Listed[]
  /** Returns its current resource templates, as it lists them. */
  templates(): readonly Listed[]
  /** Returns the listed resource of a URI. */
  resource(uri: string): Listed | undefined
  /** Returns whether the server has listed a URI, named it in a result, or has a matching template. */
  claims(uri: string): boolean
  /** Returns the identity of the current server. */
  thing(): string
  /** Asks the server. Rejects with a `ProtocolError` if the server refuses. */
  request(method: PeerMethod, params: Meta, context: PeerContext): Promise<Record<string, unknown>>
  /** Follows a resource. Returns an idempotent function that stops it. */
  follow(uri: string): () => void
  /** Rereads lists that are old and announce no changes. Settles when that is done, or after 300 ms. */
  freshen(): Promise<void> | undefined
  /** Emits every change. */
  readonly changes: Observable<PeerChange>
}

/** Options for requests to peers. */
export interface PeerContext {
  /** Cancels the request. */
  readonly signal: AbortSignal
  /**
   * The identity of the server that is meant: the request fails if another has taken its place. Default: the current server.
   */
  readonly thing?: string | undefined
  /** The capabilities of the requesting client. Default: none. */
  readonly declared?: Meta | undefined
}

/** The methods that a peer answers. */
export type PeerMethod = "prompts/get" | "completion/complete" | "resources/read"

/** A change at a peer. */
export type PeerChange =
  | { readonly kind: "prompts" }
  | { readonly kind: "resources" }
  /** Another server has taken its place. */
  | { readonly kind: "replaced" }
  | { readonly kind: "updated"; readonly uri: string }

// A registered symbol, so that two copies of this package in one application understand each other.
const peer: unique symbol = Symbol.for("@x/mcp-upstream/peer")

/** Attaches a peer to a service that stands for a server. */
export function withPeer<Service extends object>(service: Service, of: Peer): Service {
  return Object.assign(service, { [peer]: of })
}

/** Returns the peer of a service that stands for a server. */
export function peerOf(service: object): Peer | undefined {
  // Only `withPeer` sets this property.
  return Reflect.get(service, peer) as Peer | undefined
}
