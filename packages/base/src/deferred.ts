/** A promise with its settling functions. */
export interface Deferred<Value> {
  /** Settles with the first call of `resolve` or `reject`. */
  readonly promise: Promise<Value>
  /** Fulfils the promise; only the first settling counts. */
  readonly resolve: (value: Value) => void
  /** Rejects the promise; only the first settling counts. */
  readonly reject: (cause: unknown) => void
}

/**
 * Creates a promise that is settled from outside. Node 20 lacks `Promise.withResolvers`.
 *
 * @example
 * ```ts
 * import { createDeferred } from "@x/base"
 *
 * const answer = createDeferred<string>()
 * queueMicrotask(() => answer.resolve("yes"))
 * console.log(await answer.promise) // yes
 * ```
 */
export function createDeferred<Value = void>(): Deferred<Value> {
  let settle: Pick<Deferred<Value>, "resolve" | "reject"> | undefined
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // A promise calls its executor synchronously.
  if (settle === undefined) throw new Error("unreachable")
  return { promise, ...settle }
}
