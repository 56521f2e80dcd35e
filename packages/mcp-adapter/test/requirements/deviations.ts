/** Advice of the specification (SHOULD) that we do not follow, and why. Nothing that it demands (MUST) may stand here. */
export interface Deviation {
  /** The clause: a path on modelcontextprotocol.io, the revision's date in it. */
  readonly clause: string
  /** What it advises, in one sentence. */
  readonly says: string
  /** What we do instead, and why. */
  readonly because: string
}

/** What we know that we do differently. */
export const deviations: readonly Deviation[] = [
  {
    clause: "/specification/2026-07-28/basic/index#error-codes",
    says: "New implementations SHOULD NOT use the codes -32000 to -32019.",
    because: "Where HTTP refuses before a message is read, the status tells; the body says what both SDKs say there.",
  },
]
