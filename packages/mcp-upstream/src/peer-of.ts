import type { Meta } from "@x/agentic-service"
import type { Observable } from "rxjs"
import type { Listed } from "./upstream.js"

/** What MCP has beside tools and resources, of one server; read by `mcpExtension`. */
export interface Peer {
  /** Its prompts now, as it lists them. */
  prompts(): readonly Listed[]
  /** Its templates now, as it lists them. */
  templates(): readonly Listed[]
  /** Its resource of a URI, as it lists it. */
  resource(uri: string): Listed | undefined
  /** Whether a URI is one of its own: listed, of a template, or named in one of its results. */
  claims(uri: string): boolean
  /** Returns the identity of the server that it stands for now. */
  thing(): string
  /** Asks the server; rejects with a `ProtocolError` for what that refuses. */
  request(method: PeerMethod, params: Meta, context: PeerContext): Promise<Record<string, unknown>>
  /** Follows a resource. Returns what ends that; idempotent. */
  follow(uri: string): () => void
  /** Reads lists again that are old and announce no changes; settles when that is done, or after a moment. */
  freshen(): Promise<void> | undefined
  /** Tells of what has changed. */
  readonly changes: Observable<PeerChange>
}

/** What goes with a request to a peer. */
export interface PeerContext {
  /** Gives it up. */
  readonly signal: AbortSignal
  /** The identity of the server that is meant; another one is not asked. Default: whichever there is. */
  readonly thing?: string | undefined
}

/** What a peer is asked. */
export type PeerMethod = "prompts/get" | "completion/complete" | "resources/read"

/** What has changed at a peer. */
export type PeerChange =
  | { readonly kind: "prompts" }
  | { readonly kind: "resources" }
  /** Another server has taken the place. */
  | { readonly kind: "replaced" }
  | { readonly kind: "updated"; readonly uri: string }

// Registered, so that two copies of this package in one application understand each other.
const peer: unique symbol = Symbol.for("@x/mcp-upstream/peer")

/** Marks a service as one that stands for a server. */
export function withPeer<Service extends object>(service: Service, of: Peer): Service {
  return Object.assign(service, { [peer]: of })
}

/** The server that a service stands for, if it does. */
export function peerOf(service: object): Peer | undefined {
  // Only `withPeer` writes it.
  return Reflect.get(service, peer) as Peer | undefined
}
