import type { Principal } from "@x/agentic-service"

/** A client that receives notices: over a legacy session or pipe, or over a modern listen stream. */
export interface ListeningClient {
  /** The id of the view that it listens to; see `View.id`. */
  readonly view: string
  /** The key that limits count by; see `CallContext.client`. */
  readonly client: string
  /** The principal, if known. */
  readonly principal?: Principal
  /** The client's stated name and version, unverified; for display and logs. */
  readonly info?: {
    /** The name. */
    readonly name: string
    /** The version. */
    readonly version: string
  }
  /** The client's connection. */
  readonly leg: {
    /** The transport. */
    readonly transport: string
    /** The protocol's era. */
    readonly era: "legacy" | "modern"
  }
  /** Returns the client's current subscriptions. */
  hears(): Hearing
}

/** A client's subscriptions. */
export interface Hearing {
  /** The lists whose changes are announced to it, such as `tools`. */
  readonly kinds: readonly string[]
  /** The resources whose updates it receives. */
  readonly uris: readonly string[]
}
