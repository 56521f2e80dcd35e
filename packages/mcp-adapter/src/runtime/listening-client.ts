/** A client that is told of changes: over a legacy session or pipe, or over a listen stream of the modern era. */
export interface ListeningClient {
  /** The identity of the view whose changes it is told of; see `View.id`. */
  readonly view: string
  /** What limits count it by; see `CallContext.client`. */
  readonly client: string
  /** Who it is, where the binding knows. */
  readonly principal?: {
    /** Tells one from another. */
    readonly id: string
  }
  /** What it says it is: a claim, to be shown and logged. */
  readonly info?: {
    /** Its name. */
    readonly name: string
    /** Its version. */
    readonly version: string
  }
  /** How it is connected. */
  readonly leg: {
    /** Over what. */
    readonly transport: string
    /** In which era of the protocol. */
    readonly era: "legacy" | "modern"
  }
  /** What it is told of now. */
  hears(): Hearing
}

/** What a client is told of. */
export interface Hearing {
  /** The lists whose changes it hears of, such as `tools`. */
  readonly kinds: readonly string[]
  /** The resources whose changes it hears of. */
  readonly uris: readonly string[]
}
