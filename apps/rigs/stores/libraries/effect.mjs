import { Effect, Stream, SubscriptionRef } from "effect"
import { countRuns } from "./count-runs.mjs"

export const title = "Effect"

export function create(initial) {
  const source = Effect.runSync(SubscriptionRef.make(initial))
  const write = (value) => Effect.runSync(SubscriptionRef.set(source, value))
  const current = () => Effect.runSync(SubscriptionRef.get(source))
  const runs = countRuns(() => write(structuredClone(current())))
  const follow = (changes, tell) =>
    Effect.runCallback(Stream.runForEach(changes, (value) => Effect.sync(() => tell(value))))
  return {
    source,
    it: { changes: Stream.tap(source.changes, () => Effect.sync(runs.count)) },
    write,
    touch() {
      const todos = current()
      todos[0].done = true
      write([...todos])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen: (heard) => follow(source.changes, heard),
    followers: runs.perChange,
  }
}

export const named = "Effect"

export const line =
  ({ it }) =>
  (notify) =>
    Effect.runCallback(Stream.runForEach(it.changes, (value) => Effect.sync(() => notify(value))))
