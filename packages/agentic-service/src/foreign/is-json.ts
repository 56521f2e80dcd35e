/** Tells a value that JSON carries unchanged; a cycle is none. */
export function isJson(value: unknown, inside: ReadonlySet<unknown> = new Set()): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || inside.has(value)) return false

  const within = new Set(inside).add(value)
  if (Array.isArray(value)) return value.every((item) => isJson(item, within))
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain = prototype === Object.prototype || prototype === null
  return plain && Object.values(value).every((item) => isJson(item, within))
}
