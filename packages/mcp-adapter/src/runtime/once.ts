/** Makes a function that runs `callback` at its first call only. */
export function once(callback: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    callback()
  }
}

/** A promise, and what settles it. */
export interface Deferred<Value> {
  /** Settles as the first of the others is called. */
  readonly promise: Promise<Value>
  /** Fulfils it; only the first settling counts. */
  readonly resolve: (value: Value) => void
  /** Rejects it; only the first settling counts. */
  readonly reject: (cause: unknown) => void
}

/** Makes a promise that is settled from outside. Node 20 has no `Promise.withResolvers`. */
export function createDeferred<Value = void>(): Deferred<Value> {
  let settle: Pick<Deferred<Value>, "resolve" | "reject"> | undefined
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // A promise runs its function before it is made.
  if (settle === undefined) throw new Error("unreachable")
  return { promise, ...settle }
}
