import type { Observable } from "rxjs"
import { type ExecuteContext, idleContext } from "../execute-context.js"
import { type LiveMembers, liveMembersOf } from "../maps/live-map.js"
import type { Failure, Outcome, Reply } from "../outcome.js"
import type { Action, AgenticService, Checked, Occupancy } from "../service.js"
import { abortableOf } from "./abortable.js"
import { aborted, changed, confirmationUnavailable, invalidInput, notAvailable } from "./failures.js"

/** One call of an action by its key. */
export interface ActionCall {
  /** The action's key. */
  readonly action: string
  /** Its input, not checked yet. */
  readonly input: unknown
  /** Cancellation, progress and caller; by default nobody listens and nobody aborts. */
  readonly context?: ExecuteContext | undefined
  /** Looks at what is about to run and at its checked input. A failure it returns is the result, and nothing runs. */
  readonly guard?: ((action: Action, input: unknown) => Failure | undefined) | undefined
}

/**
 * Runs one action: looks it up in the live map, checks the input, looks again, runs. Subscribes the map for
 * the time of the call, so that conditions which answer at once are known even where nobody else is subscribed;
 * one that answers later does not hold. Runs nothing if the service stands for another thing by then. Never rejects.
 */
export async function executeAction<Came extends Reply>(
  service: Callee<Came>,
  call: ActionCall,
): Promise<Came | Failure> {
  const { action: key, input, context = idleContext, guard } = call
  if (abortableOf(context).aborted) return aborted(key)
  const thing = context.thing ?? service.occupancy?.current()
  const live = followActions(service)
  try {
    const action = live.find(key)
    if (!action) return live.explain(key)
    const checked: Checked = await action.check(input)
    if (!checked.ok) return checked.failure ?? invalidInput(key, checked.issues)
    // The check may have taken its time.
    const still = live.find(key)
    if (!still) return live.explain(key)
    if (service.occupancy !== undefined && service.occupancy.current() !== thing) return changed(key)
    const refused = guard?.(still, checked.input)
    if (refused !== undefined) return refused
    return await still.execute(checked.input, thing === undefined ? context : { ...context, thing })
  } finally {
    live.release()
  }
}

/**
 * Makes an outcome of a reply where nobody can be asked: a question is given up, and what the action makes of that is the
 * outcome. Never rejects where the service keeps to its contract.
 */
export async function toOutcome(name: string, reply: Reply, context: ExecuteContext): Promise<Outcome> {
  if (reply.ok !== "ask") return reply
  const after = await reply.resume("cancelled", context)
  return after.ok === "ask" ? confirmationUnavailable(name) : after
}

/** An action, and what a call of it comes back with: an outcome at once, or also a question. */
export interface Callable<Came extends Reply> extends Action {
  /** See {@link Action.execute}. */
  execute(input: unknown, context: ExecuteContext): Promise<Came>
}

/** What a call needs to know of a service. */
export interface Callee<Came extends Reply = Reply> extends Pick<AgenticService, "name" | "declared"> {
  /** The actions that can be called now. */
  readonly actions: Observable<Readonly<Record<string, Callable<Came>>>>
  /** The live identity of what the service stands for. Default: always the same. */
  readonly occupancy?: Occupancy | undefined
}

/** The actions that can be called now, for as long as they are followed. */
interface LiveActions<Came extends Reply> {
  /** The action of that key now; keys such as `toString` find nothing that was not declared. */
  find(key: string): Callable<Came> | undefined
  /** Says why there is no such action now, and what there is. */
  explain(key: string): Failure
  /** Lets go of the map. */
  release(): void
}

/**
 * Follows the actions of a service, so that a call can look twice. Of a service of this package the one action is looked up,
 * after every source that may not have told the truth has been looked at again; of another the whole map is taken.
 */
export function followActions<Came extends Reply>({ name, actions, declared }: Callee<Came>): LiveActions<Came> {
  const members = liveMembersOf(actions)
  const { find, keys, spoken, release } = members ? lookUp(members) : takeMaps(actions)
  const explain = (key: string): Failure => {
    const known = Object.hasOwn(declared.actions, key) ? declared.actions[key] : undefined
    const unknown = spoken() ? `"${name}" has no such action` : `"${name}" has not said yet what there is`
    const reason = known ? (known.unavailable() ?? "its condition is false") : unknown
    return notAvailable(key, { reason, callable: [...keys()] })
  }
  return { find, explain, release }
}

/** The actions there are, however they are followed. */
interface Lookup<Came extends Reply> extends Pick<LiveActions<Came>, "find" | "release"> {
  keys(): Iterable<string>
  spoken(): boolean
}

function lookUp<Came extends Reply>(members: LiveMembers<Callable<Came>>): Lookup<Came> {
  const release = members.follow(() => {})
  const find = (key: string): Callable<Came> | undefined => {
    members.settle()
    return members.find(key)
  }
  return { find, keys: members.keys, spoken: members.spoken, release }
}

function takeMaps<Came extends Reply>(actions: Callee<Came>["actions"]): Lookup<Came> {
  let current: Readonly<Record<string, Callable<Came>>> | undefined
  const subscription = actions.subscribe({
    next: (map) => {
      current = map
    },
    // A service made by hand may err, though ours do not: what cannot be known is not available.
    error: () => {},
  })
  return {
    find: (key) => (current && Object.hasOwn(current, key) ? current[key] : undefined),
    keys: () => Object.keys(current ?? {}),
    spoken: () => current !== undefined,
    release: () => subscription.unsubscribe(),
  }
}
