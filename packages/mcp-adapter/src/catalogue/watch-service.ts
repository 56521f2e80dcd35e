import type { Action, AgenticService, Link, State } from "@x/agentic-service"
import { type LiveMembers, liveMembersOf, type MemberFailure } from "@x/agentic-service/adapter"
import type { Observable } from "rxjs"
import { type Ledger, subscribeIn } from "../runtime/host.js"
import type { MembersChange } from "./published-members.js"

/** What changed of one service. */
export interface ServiceChange {
  /** Of its states. */
  readonly states?: MembersChange<State> | undefined
  /** Of its actions. */
  readonly actions?: MembersChange<Action> | undefined
  /** Of its links. */
  readonly links?: MembersChange<Link> | undefined
}

/** The names of the three maps. */
export type MapName = keyof ServiceChange

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
export function watchService(service: AgenticService, options: WatchOptions): ServiceWatch {
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
      for (const watch of [states, actions, links]) watch.close()
      // Last, because a source may fail to let go.
      failures.unsubscribe()
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
