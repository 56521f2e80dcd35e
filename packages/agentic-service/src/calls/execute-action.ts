import type { Checked } from "../checked.js"
import type { ExecuteContext } from "../execute-context.js"
import type { Outcome } from "../service.js"
import { aborted, invalidInput } from "./failures.js"
import { type Callee, followActions, notAvailable } from "./follow-actions.js"
import { idleContext } from "./idle-context.js"

/** One call of an action by its key. */
export interface Call {
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
