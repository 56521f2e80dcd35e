/**
 * How many characters a value takes as JSON; 0 for what JSON leaves out, and `undefined` where it cannot be told cheaply: in
 * a cycle, in binary data, or where reading it throws.
 */
export function jsonSize(value: unknown): number | undefined {
  try {
    return JSON.stringify(value, withoutBytes)?.length ?? 0
  } catch {
    return undefined
  }
}

function withoutBytes(_key: string, value: unknown): unknown {
  if (ArrayBuffer.isView(value))
    throw new TypeError("bytes are not counted: as JSON they would be written out one by one")
  return value
}
