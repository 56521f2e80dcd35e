/**
 * Remembers a function's result or error for each object, as long as that object lives.
 *
 * @example
 * ```ts
 * import { memoise } from "@x/tool-schemas"
 *
 * const sizeOf = memoise((schema: object) => JSON.stringify(schema).length)
 * const schema = { type: "string" }
 * console.log(sizeOf(schema), sizeOf(schema)) // 17 17, counted once
 * ```
 */
export function memoise<Input extends object, Output>(compute: (input: Input) => Output): (input: Input) => Output {
  const known = new WeakMap<Input, () => Output>()
  return (input) => {
    const found = known.get(input)
    if (found !== undefined) return found()
    const made = attempt(() => compute(input))
    known.set(input, made)
    return made()
  }
}

function attempt<Output>(compute: () => Output): () => Output {
  try {
    const output = compute()
    return () => output
  } catch (cause) {
    return () => {
      throw cause
    }
  }
}
