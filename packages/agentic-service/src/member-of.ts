/** Reads a member that may not exist, of anything; `undefined` for what is no object. A getter that throws is thrown on. */
export function memberOf(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined
  return Reflect.get(value, key)
}

/** Tells whether something has a method of that name. */
export function hasMethod(value: unknown, key: PropertyKey): boolean {
  return typeof memberOf(value, key) === "function"
}
