/** Remembers what a function gave, or threw, for an object, as long as that object lives. */
export function memoise<Input extends object, Output>(compute: (input: Input) => Output): (input: Input) => Output {
  const known = new WeakMap<Input, () => Output>()
  return (input) => {
    const found = known.get(input) ?? attempt(() => compute(input))
    known.set(input, found)
    return found()
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
