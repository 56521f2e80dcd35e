import { findOptionFault, type OptionRule, withDefaults } from "@x/tool-schemas/json"
import { WireError } from "./wire-error.js"

/**
 * How much one side takes from the other. The mirror announces its limits, and the offering side keeps to them: what is too
 * much is left out and said. Whoever exceeds them all the same is cut off.
 */
export interface WireLimits {
  /** The longest frame, in UTF-16 units. Default 4,000,000. */
  readonly frame: number
  /** The most states, actions and links, of all services together; and as many declared ones. Default 20,000. */
  readonly members: number
  /** The most services. Default 2,000. */
  readonly services: number
  /** The most text that is held of all members together, in UTF-16 units. Default 64,000,000. */
  readonly held: number
  /** The most calls that run at once; further ones are refused with `busy`. Default 1,000. */
  readonly calls: number
}

/** The limits used where none are given. */
export const defaultWireLimits: WireLimits = {
  frame: 4_000_000,
  members: 20_000,
  services: 2_000,
  held: 64_000_000,
  calls: 1_000,
}

/** What each limit may be. */
export const wireLimitRules: Record<keyof WireLimits, OptionRule> = {
  frame: { from: 10_000, whole: true },
  members: { from: 1, whole: true },
  services: { from: 1, whole: true },
  held: { from: 10_000, whole: true },
  calls: { from: 1, whole: true },
}

/** Checks options by their rules, and throws a `WireError` that names what is wrong. */
export function checkOptions(options: object, rules: Readonly<Record<string, OptionRule>>): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new WireError(fault, { code: "invalid_option" })
}

/** The limits, with those in place that were not given. */
export function toLimits(given: Partial<WireLimits> | undefined): WireLimits {
  return withDefaults(defaultWireLimits, given ?? {})
}
