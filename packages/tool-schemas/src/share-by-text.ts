import { isPlainJson, parseJson } from "@x/base"
import equal from "fast-deep-equal"

/**
 * Shares a function's results between objects with the same JSON, so that services with the same definitions hold them once. A
 * result is kept as long as anybody holds it. Objects that JSON cannot carry get results of their own.
 */
export function shareByText<Input extends object, Output extends object>(
  compute: (input: Input) => Output,
): (input: Input) => Output {
  const held = new Map<string, WeakRef<Output>>()
  const released = new FinalizationRegistry<string>((text) => {
    // Another result may have taken the place meanwhile.
    if (held.get(text)?.deref() === undefined) held.delete(text)
  })
  return (input) => {
    const text = toText(input)
    if (text === undefined) return compute(input)
    const known = held.get(text)?.deref()
    if (known !== undefined) return known
    const made = compute(input)
    held.set(text, new WeakRef(made))
    released.register(made, text)
    return made
  }
}

/** Returns an object's JSON; `undefined` if that does not say everything about the object, or could be very long. */
function toText(input: object): string | undefined {
  if (!isPlainJson(input, MOST_VALUES)) return undefined
  const text = JSON.stringify(input)
  return equal(parseJson(text), input) ? text : undefined
}

/** Schemas whose parts contain one object twice at every level would have endless texts. */
const MOST_VALUES = 10_000
