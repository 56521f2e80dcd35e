import { memberOf } from "./sources/member-of.js"

// Registered, so that two copies of this package in one application recognise each other's services.
const brand: unique symbol = Symbol.for("@x/agentic-service")

/** To be spread into every service this package makes. Survives `{ ...service }`. */
export const branded: { readonly [brand]: true } = { [brand]: true }

/** Tells a service that some copy of this package made. */
export function isBranded(value: unknown): boolean {
  return memberOf(value, brand) === true
}
