import { source } from "@x/agentic-service"
import { SubscriptionRef as all, Effect, Stream } from "effect"
import { countRuns } from "./count-runs.mjs"

export const title = "Effect"

const counters = new WeakMap()

/** The library's own module, with the values of `changes` counted. */
const SubscriptionRef = {
  ...all,
  changes: (ref) => Stream.tap(all.changes(ref), () => Effect.sync(() => counters.get(ref).count())),
}

export function create(initial) {
  const ref = Effect.runSync(SubscriptionRef.make(initial))
  const write = (value) => Effect.runSync(SubscriptionRef.set(ref, value))
  const current = () => Effect.runSync(SubscriptionRef.get(ref))
  const runs = countRuns(() => write(structuredClone(current())))
  counters.set(ref, runs)
  return {
    source: ref,
    it: ref,
    alsoRefused: [all.changes(ref), SubscriptionRef.get(ref)],
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
    listen: (heard) =>
      Effect.runCallback(Stream.runForEach(all.changes(ref), (value) => Effect.sync(() => heard(value)))),
    followers: runs.perChange,
  }
}

export const named = "Effect"

export const line = ({ it }) =>
  source.observe((notify) =>
    Effect.runCallback(Stream.runForEach(SubscriptionRef.changes(it), (value) => Effect.sync(() => notify(value)))),
  )
