import { type Action, type AgenticService, type Link, ServiceError, type State } from "@x/agentic-service"
import { type Links, type LiveMembers, liveMembersOf, type MemberFailure } from "@x/agentic-service/adapter"
import { SchemaError } from "@x/tool-schemas"
import type { Observable } from "rxjs"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { type Host, type Ledger, subscribeIn } from "../runtime/host.js"
import type { StateEntry } from "./entry.js"
import type { Place } from "./graph.js"
import type { KnownTool } from "./known-tools.js"
import type { NodeContext } from "./node-context.js"
import { createNodeStates, createNodeTools } from "./node-members.js"
import type { MembersChange } from "./published-members.js"

/** One service of the graph: watched, and its entries kept in line with its maps. */
export interface ServiceNode {
  /** Where it stands. */
  readonly place: Place<AgenticService>
  /**
   * Brings the entries in line with what the service has emitted.
   *
   * @returns The links, if they were among it.
   */
  update(): Links | undefined
  /** Whether some of what it has emitted is left for another task. */
  unfinished(): boolean
  /** Publishes everything again under the path the place has now. */
  move(): void
  /** The maps that have not spoken yet. */
  silent(): readonly MapName[]
  /** The tools that are callable or declared, by action key. */
  knownTools(): ReadonlyMap<string, KnownTool>
  /** The visible states, sorted by key. */
  states(): readonly StateEntry[]
  /** The keys of the targets to choose from; `undefined` for a service that has none of its own. */
  readonly targetKeys: (() => readonly string[]) | undefined
  /** Takes everything back and lets go of the service. */
  close(): void
}

/**
 * Subscribes to the service at `place`.
 *
 * @param onEmit - Called when there is something to update, also before this function returns. Must not throw.
 */
export function createServiceNode(place: Place<AgenticService>, context: NodeContext, onEmit: () => void): ServiceNode {
  const tools = createNodeTools(place, context)
  const states = createNodeStates(place, context)
  const watch = watchService(place.service, {
    ledger: context.host.ledger,
    onEmit,
    onFailure: (failure, kept) => context.host.report(toDiagnostic(place, failure, kept)),
  })
  const targets = watchTargets(place, context.host, onEmit)

  return {
    place,
    update() {
      const change = watch.take()
      tools.update(change.actions)
      if (change.states !== undefined) states.update(change.states)
      return change.links?.whole()
    },
    unfinished: tools.unfinished,
    move() {
      tools.renew()
      states.renew()
    },
    silent: () => watch.silent(),
    knownTools: () => tools.known(),
    states: () => states.sorted(),
    targetKeys: targets?.keys,
    close() {
      watch.close()
      targets?.close()
      tools.close()
      states.close()
    },
  }
}

function toDiagnostic(
  { path }: Place<AgenticService>,
  { kind, key, id, cause }: MemberFailure,
  kept = false,
): Diagnostic {
  const at = { path, ...(key !== undefined && { key }), cause }
  if (id !== undefined) return { code: "action_failed", message: `action "${key}" failed (${id})`, ...at }
  // It ran and stays listed; only what it returned is wrong.
  if (cause instanceof ServiceError && cause.code === "invalid_output") {
    return { code: "result_invalid", message: cause.message, ...at }
  }
  if (cause instanceof SchemaError) {
    return { code: "schema_unpublishable", message: `${kind} "${key}" is left out: ${cause.message}`, ...at }
  }
  const outcome = kept ? "it is served as it was last" : "what failed of it is left out until it is there again"
  const message =
    key === undefined
      ? `the map of ${kind}s failed: ${outcome}`
      : `${kind} "${key}" failed: it is left out until it is there again`
  return { code: "source_failed", message, ...at }
}

/** Follows what there is to choose from. A source that fails keeps its last word. */
function watchTargets({ path, service: { targets } }: Place<AgenticService>, host: Host, onEmit: () => void) {
  if (targets === undefined) return undefined
  let newest: readonly string[] = []
  const subscription = subscribeIn(host.ledger, targets.keys, {
    next(keys) {
      newest = keys
      onEmit()
    },
    error(cause) {
      const message = "the targets failed: the choice stays as it was last"
      host.report({ code: "source_failed", message, path, cause })
    },
  })
  return { keys: () => newest, close: () => subscription.unsubscribe() }
}

/** What changed of one service. */
interface ServiceChange {
  /** Of its states. */
  readonly states?: MembersChange<State> | undefined
  /** Of its actions. */
  readonly actions?: MembersChange<Action> | undefined
  /** Of its links. */
  readonly links?: MembersChange<Link> | undefined
}

/** The names of the three maps. */
type MapName = keyof ServiceChange

/** One service being watched. */
interface ServiceWatch {
  /** Takes what changed since the last call. */
  take(): ServiceChange
  /** The maps that have not spoken yet. */
  silent(): readonly MapName[]
  /** Lets go of the service. */
  close(): void
}

/** What a watch tells. */
interface WatchOptions {
  /** Counts the subscriptions. */
  readonly ledger: Ledger
  /** Called for every emission, also during `watchService` itself. Must not throw. */
  readonly onEmit: () => void
  /** Called when a map errors, and is then `kept` as it was last, or when a service reports a failure. Must not throw. */
  readonly onFailure: (failure: MemberFailure, kept?: boolean) => void
}

/** Follows the three maps of a service, once each. */
function watchService(service: AgenticService, options: WatchOptions): ServiceWatch {
  // First, because it keeps nothing: a member may fail as soon as its map is subscribed to.
  const failures = subscribeIn(options.ledger, service.failures, {
    next: (failure) => options.onFailure(failure),
    error: () => undefined,
  })
  const states = watchMap(service.states, "state", options)
  const actions = watchMap(service.actions, "action", options)
  const links = watchMap(service.links, "link", options)
  const silent = { states, actions, links }
  const names: readonly MapName[] = ["states", "actions", "links"]
  return {
    take: () => ({ states: states.take(), actions: actions.take(), links: links.take() }),
    silent: () => names.filter((name) => silent[name].silent()),
    close() {
      failures.unsubscribe()
      for (const watch of [states, actions, links]) watch.close()
    },
  }
}

/** One map being watched. */
interface MapWatch<Member> {
  /** What changed since the last call, if anything did. */
  take(): MembersChange<Member> | undefined
  silent(): boolean
  close(): void
}

function watchMap<Member>(
  source: Observable<Readonly<Record<string, Member>>>,
  kind: MemberFailure["kind"],
  options: WatchOptions,
): MapWatch<Member> {
  const members = liveMembersOf(source)
  return members === undefined ? watchWhole(source, kind, options) : watchMembers(members, options)
}

/** A service of ours says which members changed, so that a change costs nothing for the others. */
function watchMembers<Member>(members: LiveMembers<Member>, { ledger, onEmit }: WatchOptions): MapWatch<Member> {
  const changed = new Set<string>()
  let emitted = false
  const note = (keys: Iterable<string>): void => {
    for (const key of keys) changed.add(key)
    emitted = true
    onEmit()
  }
  const closed = ledger.open("subscription")
  const unfollow = members.follow(note)
  if (members.spoken()) note(members.keys())
  return {
    take() {
      members.settle()
      if (!emitted) return undefined
      emitted = false
      const keys = [...changed]
      changed.clear()
      return { keys, find: members.find, whole: () => toMap(members) }
    },
    silent: () => !members.spoken(),
    close() {
      unfollow()
      closed()
    },
  }
}

function toMap<Member>({ keys, find }: LiveMembers<Member>): Readonly<Record<string, Member>> {
  const map: Record<string, Member> = Object.create(null)
  for (const key of keys()) {
    const member = find(key)
    if (member !== undefined) map[key] = member
  }
  return map
}

/** Any other service emits its whole maps. One that errors keeps its last value; one that completes does too. */
function watchWhole<Member>(
  source: Observable<Readonly<Record<string, Member>>>,
  kind: MemberFailure["kind"],
  options: WatchOptions,
): MapWatch<Member> {
  let newest: Readonly<Record<string, Member>> = {}
  let taken: readonly string[] = []
  let emissions = 0
  let spoken = false
  let speaksAtOnce = false
  let opening = true
  const subscription = subscribeIn(options.ledger, source, {
    next(map) {
      speaksAtOnce ||= opening
      newest = map
      emissions += 1
      spoken = true
      options.onEmit()
    },
    error(cause: unknown) {
      spoken = true
      options.onFailure({ kind, cause }, true)
      options.onEmit()
    },
    complete() {
      spoken = true
      options.onEmit()
    },
  })
  opening = false
  return {
    take() {
      // When an earlier listener of the source emits again while the source is still telling its listeners, a
      // later one hears the newest value first and the one before it last. So after a burst, ask again; what did not answer at
      // once when it was subscribed may be cold.
      if (emissions > 1 && speaksAtOnce && !subscription.closed) newest = sample(source, newest)
      if (emissions === 0) return undefined
      emissions = 0
      const map = newest
      const keys = new Set([...taken, ...Object.keys(map)])
      taken = Object.keys(map)
      return { keys, find: (key) => (Object.hasOwn(map, key) ? map[key] : undefined), whole: () => map }
    },
    silent: () => !spoken,
    close: () => subscription.unsubscribe(),
  }
}

/** The value a source gives on subscribing, or `fallback` when it gives none at once. */
function sample<Value>(source: Observable<Value>, fallback: Value): Value {
  let value = fallback
  source.subscribe({ next: (next) => (value = next), error: () => undefined }).unsubscribe()
  return value
}
