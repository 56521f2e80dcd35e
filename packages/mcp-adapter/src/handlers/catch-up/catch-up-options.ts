/** How the result of a call tells what changed since the call began. */
export interface CatchUpOptions {
  /**
   * The most characters it takes, as text and as JSON. What does not fit is shortened, then counted. Default 2,000; at
   * least 300.
   */
  readonly budget: number
  /**
   * How long a call waits, in milliseconds, for the first change that its action's sources tell of later. Only a changing
   * action that succeeded waits, where nothing has changed yet: not when its changes have been there at once before, and at
   * most three times in vain. Default 100; 0 for never.
   */
  readonly wait: number
}

/** How long a call waits for the application to come to rest before it is answered. */
export interface SettleOptions {
  /** How long nothing that the caller may see must have changed, in milliseconds. Default 50. */
  readonly quiet?: number
  /** How long to wait for that at most, in milliseconds; when it is not enough, the result says so. Default 2,000. */
  readonly limit?: number
}

/** The options as an endpoint takes them; `undefined` where there is to be no catch-up. */
export function resolveCatchUp(given: boolean | Partial<CatchUpOptions> = true): CatchUpOptions | undefined {
  if (given === false) return undefined
  const { budget = 2_000, wait = 100 } = given === true ? {} : given
  return { budget: Math.max(budget, 300), wait }
}
