import { source } from "@x/agentic-service"
import { Effect, Stream, SubscriptionRef } from "effect3"
import { countRuns } from "./count-runs.mjs"

export const title = "Effect 3"
export const packages = ["effect3"]

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

export const named = "Effect 3"

export const line = ({ it }) =>
  source.observe((notify) =>
    Effect.runCallback(Stream.runForEach(it.changes, (value) => Effect.sync(() => notify(value)))),
  )
