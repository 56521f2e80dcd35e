import { findOptionFault, type OptionRule, withDefaults } from "@x/base"
import { WireError } from "./wire-error.js"

/**
 * How much one side accepts from the other. The mirror announces them and the offering side keeps to them: it leaves out what
 * exceeds them and reports that. The mirror closes the connection if they are exceeded anyway.
 */
export interface WireLimits {
  /** The longest frame, in UTF-16 units. Default 4,000,000. */
  readonly frame: number
  /** The most states, actions and links of all services together, and the most declared ones. Default 20,000. */
  readonly members: number
  /** The most services. Default 2,000. */
  readonly services: number
  /** The most text of all members together, in UTF-16 units. Default 64,000,000. */
  readonly held: number
  /** The most calls that run at once. Further calls fail with `busy`. Default 1,000. */
  readonly calls: number
}

/** The default limits. */
export const defaultWireLimits: WireLimits = {
  frame: 4_000_000,
  members: 20_000,
  services: 2_000,
  held: 64_000_000,
  calls: 1_000,
}

/** The accepted values of each limit. */
export const wireLimitRules: Record<keyof WireLimits, OptionRule> = {
  frame: { from: 10_000, whole: true },
  members: { from: 1, whole: true },
  services: { from: 1, whole: true },
  held: { from: 10_000, whole: true },
  calls: { from: 1, whole: true },
}

/** Checks options by their rules. Throws a `WireError` that names the first fault. */
export function checkOptions(options: object, rules: Readonly<Record<string, OptionRule>>): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new WireError(fault, { code: "invalid_option" })
}

/** Fills in the default for each limit that was not given. */
export function toLimits(given: Partial<WireLimits> | undefined): WireLimits {
  return withDefaults(defaultWireLimits, given ?? {})
}
