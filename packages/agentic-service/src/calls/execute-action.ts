import { type ExecuteContext, idleContext } from "../execute-context.js"
import type { Failure, Outcome } from "../outcome.js"
import { failure } from "../outcome.js"
import type { Action, Actions, AgenticService, Checked } from "../service.js"
import { aborted, invalidInput } from "./failures.js"

/** One call of an action by its key. */
interface Call {
  /** The action's key. */
  readonly action: string
  /** Its input, not checked yet. */
  readonly input: unknown
  /** Cancellation, progress and caller; by default nobody listens and nobody aborts. */
  readonly context?: ExecuteContext | undefined
}

/**
 * Runs one action: looks it up in the live map, checks the input, looks again, runs. Subscribes the map for
 * the time of the call, so that conditions which answer at once are known even where nobody else is subscribed;
 * one that answers later does not hold. Never rejects.
 */
export async function executeAction(service: Callee, call: Call): Promise<Outcome> {
  const { action: key, input, context = idleContext } = call
  if (context.signal.aborted) return aborted(key)
  const live = followActions(service)
  try {
    const action = live.find(key)
    if (!action) return notAvailable(service, key, live)
    const checked: Checked = await action.check(input)
    if (!checked.ok) return invalidInput(key, checked.issues)
    // The check may have taken its time.
    const still = live.find(key)
    if (!still) return notAvailable(service, key, live)
    return await still.execute(checked.input, context)
  } finally {
    live.release()
  }
}

/** What a call needs to know of a service. */
export type Callee = Pick<AgenticService, "name" | "actions" | "declared">

/** The actions that can be called now, for as long as they are followed. */
interface LiveActions {
  /** The action of that key now; keys such as `toString` find nothing that was not declared. */
  find(key: string): Action | undefined
  /** What can be called now. */
  keys(): readonly string[]
  /** Lets go of the map. */
  release(): void
}

/** Follows the actions of a service, so that a call can look twice. */
export function followActions({ actions }: Callee): LiveActions {
  let current: Actions = {}
  const subscription = actions.subscribe({
    next: (map) => {
      current = map
    },
    // A service made by hand may err, though ours do not: what cannot be known is not available.
    error: () => {},
  })
  return {
    find: (key) => (Object.hasOwn(current, key) ? current[key] : undefined),
    keys: () => Object.keys(current),
    release: () => subscription.unsubscribe(),
  }
}

/** There is no such action now; says why, and what there is. To be asked while the actions are followed. */
export function notAvailable({ name, declared }: Callee, key: string, live: LiveActions): Failure {
  const known = Object.hasOwn(declared.actions, key) ? declared.actions[key] : undefined
  const why = known ? ` now: ${known.unavailable() ?? "its condition is false"}` : `: "${name}" has no such action now`
  return failure(`action "${key}" is not available${why}`, { code: "not_available", recovery: suggest(live.keys()) })
}

/** Names a few: the whole list is what the caller reads anyway. */
function suggest(keys: readonly string[]): string {
  if (keys.length === 0) return "nothing can be called now"
  const names = keys.slice(0, 20).map((key) => `"${key}"`)
  return `call one of ${names.join(", ")}`
}
