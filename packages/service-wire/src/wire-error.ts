/**
 * What a wire refuses.
 *
 * - `invalid_option`: an option is misspelt, or cannot be what it is.
 * - `malformed`: the other side said something that cannot be read.
 * - `limit`: the other side said more than is taken.
 * - `unexpected`: anything else; see its cause.
 */
export type WireErrorCode = "invalid_option" | "malformed" | "limit" | "unexpected"

/** A mistake of whoever uses a wire. What goes wrong on it is data: see `WireClosed` and the outcomes of calls. */
export class WireError extends Error {
  /** Always `WireError`. */
  override readonly name = "WireError"
  /** A stable code. */
  readonly code: WireErrorCode

  constructor(message: string, { code, ...options }: ErrorOptions & { readonly code: WireErrorCode }) {
    super(message, options)
    this.code = code
  }

  /** Makes one of whatever was thrown: itself, or `unexpected` with what was thrown as its cause. */
  static from(thrown: unknown): WireError {
    if (thrown instanceof WireError) return thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return new WireError(message, { code: "unexpected", cause: thrown })
  }
}

/** The other side said something that cannot be read. */
export function malformed(message: string): WireError {
  return new WireError(message, { code: "malformed" })
}
