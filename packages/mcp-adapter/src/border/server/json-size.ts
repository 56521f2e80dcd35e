/** The depth and size of JSON, or limits on them. */
export interface JsonSize {
  /** The depth of nested arrays and objects. */
  readonly depth: number
  /** The approximate number of values: each array, each object, and one for each comma. */
  readonly values: number
}

/** Says how a size exceeds its limits; `undefined` if it does not. */
export function findSizeFault(size: JsonSize, limits: JsonSize): string | undefined {
  if (size.depth > limits.depth) return `the JSON is nested too deep: expected at most ${limits.depth} levels`
  if (size.values > limits.values) return `the JSON holds too many values: expected at most ${limits.values}`
  return undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The change of each structural byte to the depth and the number of values. */
const STEPS: ReadonlyMap<number | undefined, JsonSize> = new Map([
  [0x2c, { depth: 0, values: 1 }], // ,
  [0x5b, { depth: 1, values: 1 }], // [
  [0x7b, { depth: 1, values: 1 }], // {
  [0x5d, { depth: -1, values: 0 }], // ]
  [0x7d, { depth: -1, values: 0 }], // }
])

/**
 * Measures JSON text before it is parsed. Stops one beyond a limit, so that oversized text costs neither time nor memory. Text
 * that is not JSON has a size, too.
 */
export function measureJson(bytes: Uint8Array, limits: JsonSize): JsonSize {
  let depth = 0
  let deepest = 0
  let values = 1
  for (let index = 0; index < bytes.length; index += 1) {
    if (bytes[index] === QUOTE) index = endOfString(bytes, index)
    const step = STEPS.get(bytes[index])
    if (step === undefined) continue
    values += step.values
    depth += step.depth
    deepest = Math.max(deepest, depth)
    if (deepest > limits.depth || values > limits.values) break
  }
  return { depth: deepest, values }
}

/** Returns the index of a string's closing quote, or the length if unclosed. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let backslashes = 0
    while (bytes[end - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
  return bytes.length
}

/** Measures a parsed value as {@link measureJson} measures text, without recursion. */
export function measureValue(value: unknown, limits: JsonSize): JsonSize {
  let values = 1
  let depth = 0
  let level: readonly object[] = isNested(value) ? [value] : []
  while (level.length > 0 && depth <= limits.depth && values <= limits.values) {
    depth += 1
    const below: object[] = []
    for (const nested of level) values += lookInto(nested, below, limits.values - values)
    level = below
  }
  return { depth, values }
}

/** Counts the values of an array or object and collects the nested ones; stops one beyond the limit. */
function lookInto(nested: object, below: object[], limit: number): number {
  // An array's length is known without iteration.
  if (Array.isArray(nested) && nested.length > limit) return nested.length
  let values = 0
  for (const key in nested) {
    values += 1
    if (values > limit) break
    const inner: unknown = Reflect.get(nested, key)
    if (isNested(inner)) below.push(inner)
  }
  return values
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
