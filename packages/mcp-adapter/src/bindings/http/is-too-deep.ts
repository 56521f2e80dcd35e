/** Whether a JSON value has more than `limit` arrays and objects inside each other. Does not recurse. */
export function isTooDeep(value: unknown, limit: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === limit) return true
    level = level.flatMap((nested) => Object.values(nested).filter(isNested))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
