/** How much a catalogue takes in. What is over a limit is left out, with a diagnostic. */
export interface CatalogueLimits {
  /** The longest path of links that is followed. Default 16. */
  readonly depth: number
  /** The most services that are watched. Default 5,000. */
  readonly services: number
  /** The most tools that are listed. Default 5,000. */
  readonly tools: number
  /**
   * The most tools that the exposure `stable` goes on listing though no service that can be reached has or declares them:
   * those of foreign services, which declare nothing, and of services that were linked once. The one that went first is
   * forgotten first. Default 500.
   */
  readonly seen: number
  /** The most states that are listed. Default 5,000. */
  readonly states: number
  /** The most characters of what is published of one tool or state, as JSON: name, description and schemas. Default 100,000. */
  readonly definition: number
  /** How long the first list waits for maps that have not spoken, in milliseconds. Default 500. */
  readonly readyWait: number
}

/** The limits used where none are given. */
export const defaultCatalogueLimits: CatalogueLimits = {
  depth: 16,
  services: 5_000,
  tools: 5_000,
  seen: 500,
  states: 5_000,
  definition: 100_000,
  readyWait: 500,
}
