/** Checked input, or the issues found. */
export type Checked = Accepted | Refused

/** Input that fits. */
export interface Accepted {
  /** Tells the two apart. */
  readonly ok: true
  /** The input as an action's `execute` takes it: for a Standard Schema what its own check hands out. */
  readonly input: unknown
}

/** Input that does not fit. */
export interface Refused {
  /** Tells the two apart. */
  readonly ok: false
  /** What is wrong, at most twenty of it. */
  readonly issues: readonly Issue[]
}

/** One thing wrong with an input. */
export interface Issue {
  /** Where, as a path of property names and indices from the root of the input; empty for the root. */
  readonly path: readonly (string | number)[]
  /** What was found and what was expected. */
  readonly message: string
}
