/** Tells a value that is still the same. An object may have been changed in place, so only primitives are ever known to be. */
export function isUnchanged(before: unknown, after: unknown): boolean {
  const primitive = (typeof after !== "object" || after === null) && typeof after !== "function"
  return primitive && Object.is(before, after)
}
