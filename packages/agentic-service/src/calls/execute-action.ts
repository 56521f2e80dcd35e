import type { Observable } from "rxjs"
import { type ExecuteContext, idleContext } from "../execute-context.js"
import { type LiveMembers, liveMembersOf } from "../maps/live-map.js"
import type { Failure, Outcome, Reply } from "../outcome.js"
import type { Action, AgenticService, Checked, Occupancy } from "../service.js"
import { abortableOf } from "./abortable.js"
import { aborted, changed, confirmationUnavailable, invalidInput, notAvailable } from "./failures.js"

/** A call by action key. */
export interface ActionCall {
  /** The action's key. */
  readonly action: string
  /** The unchecked input. */
  readonly input: unknown
  /** Cancellation, progress and caller. Default: a context without any. */
  readonly context?: ExecuteContext | undefined
  /**
   * Inspects the action and its checked input before the run. A returned failure is the result, and the action does not run.
   */
  readonly guard?: ((action: Action, input: unknown) => Failure | undefined) | undefined
}

/**
 * Runs one action: finds it in the live map, checks the input, finds it again, runs it. Subscribes to the map during the call,
 * so that conditions with an immediate value are known without another subscriber; a condition with a later value does not
 * hold. The action does not run if the service's instance was replaced meanwhile. Never rejects.
 *
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { confirmationUnavailable, executeAction } from "@x/agentic-service/adapter"
 *
 * const wipe = action({ description: "Remove all", confirm: () => "Remove everything?", execute: () => {} })
 * const reply = await executeAction(createAgenticService({ name: "notes", actions: { wipe } }), {
 *   action: "wipe",
 *   input: {},
 *   guard: ({ confirm }) => (confirm === undefined ? undefined : confirmationUnavailable("wipe")),
 * })
 * if (reply.ok === false) console.log(reply.code) // confirmation_unavailable
 * ```
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
    // The check may have taken time.
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
 * Converts a reply to an outcome when no person can be asked: a question is cancelled, and the action's result after that is
 * the outcome. Never rejects if the service keeps its contract.
 *
 * @example
 * ```ts
 * import type { Reply } from "@x/agentic-service"
 * import { idleContext, toOutcome } from "@x/agentic-service/adapter"
 *
 * const asking: Reply = {
 *   ok: "ask",
 *   questions: { size: { message: "Which size?", schema: { type: "object", properties: { size: { type: "string" } } } } },
 *   resume: async (answers) => ({ ok: true, value: `the answer was ${JSON.stringify(answers)}` }),
 * }
 * console.log(await toOutcome("order", asking, idleContext)) // { ok: true, value: 'the answer was "cancelled"' }
 * ```
 */
export async function toOutcome(name: string, reply: Reply, context: ExecuteContext): Promise<Outcome> {
  if (reply.ok !== "ask") return reply
  const after = await reply.resume("cancelled", context)
  return after.ok === "ask" ? confirmationUnavailable(name) : after
}

/** An action whose calls return a known kind of reply: an outcome, or also a question. */
export interface Callable<Came extends Reply> extends Action {
  /** See {@link Action.execute}. */
  execute(input: unknown, context: ExecuteContext): Promise<Came>
}

/** The part of a service that calls need. */
export interface Callee<Came extends Reply = Reply> extends Pick<AgenticService, "name" | "declared"> {
  /** The actions that can be called now. */
  readonly actions: Observable<Readonly<Record<string, Callable<Came>>>>
  /** The live identity of the service. Default: it never changes. */
  readonly occupancy?: Occupancy | undefined
}

/** The currently callable actions, while followed. */
interface LiveActions<Came extends Reply> {
  /** Returns the current action of a key. Keys such as `toString` find only declared actions. */
  find(key: string): Callable<Came> | undefined
  /** Returns a missing action's failure, with the reason and all available actions. */
  explain(key: string): Failure
  /** Releases the map. */
  release(): void
}

/**
 * Follows a service's actions, so that a call can look twice. For services of this package it looks up the one action, after
 * sources that may be out of date were read again. For others it follows the whole map.
 */
export function followActions<Came extends Reply>({ name, actions, declared }: Callee<Came>): LiveActions<Came> {
  const members = liveMembersOf(actions)
  const { find, keys, spoken, release } = members ? lookUp(members) : takeMaps(actions)
  const explain = (key: string): Failure => {
    const known = Object.hasOwn(declared.actions, key) ? declared.actions[key] : undefined
    const unknown = spoken() ? `"${name}" has no such action` : `"${name}" has not emitted its actions yet`
    const reason = known ? (known.unavailable() ?? "its condition is false") : unknown
    return notAvailable(key, { reason, callable: [...keys()] })
  }
  return { find, explain, release }
}

/** A lookup of actions in either way. */
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
    // A hand-written service may error, unlike ours: unknown actions count as unavailable.
    error: () => {},
  })
  return {
    find: (key) => (current && Object.hasOwn(current, key) ? current[key] : undefined),
    keys: () => Object.keys(current ?? {}),
    spoken: () => current !== undefined,
    release: () => subscription.unsubscribe(),
  }
}
