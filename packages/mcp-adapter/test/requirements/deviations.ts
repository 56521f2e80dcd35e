/**
 * Advice of the specification (SHOULD) that we do not follow, with our reasons. A requirement (MUST) must never be listed here.
 */
export interface Deviation {
  /** The clause: a path on modelcontextprotocol.io that contains the revision's date. */
  readonly clause: string
  /** The advice, in one sentence. */
  readonly says: string
  /** Our behaviour, with its reason. */
  readonly because: string
}

/** Our known deviations. */
export const deviations: readonly Deviation[] = [
  {
    clause: "/specification/2026-07-28/basic/index#error-codes",
    says: "New implementations SHOULD NOT use the codes -32000 to -32019.",
    because:
      "If HTTP rejects a request before its message is read, the status is decisive; the body repeats the code of both SDKs.",
  },
]
