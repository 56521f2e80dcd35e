import type { Action, AgenticService, Link, State } from "@x/agentic-service"
import { type LiveMembers, liveMembersOf, type MemberFailure } from "@x/agentic-service/adapter"
import type { Observable } from "rxjs"
import { type Ledger, subscribeIn } from "../runtime/host.js"
import type { MembersChange } from "./published-members.js"

/** Changes of one service. */
export interface ServiceChange {
  /** Changed states. */
  readonly states?: MembersChange<State> | undefined
  /** Changed actions. */
  readonly actions?: MembersChange<Action> | undefined
  /** Changed links. */
  readonly links?: MembersChange<Link> | undefined
}

/** Names of a service's three maps. */
export type MapName = keyof ServiceChange

/** A watched service. */
interface ServiceWatch {
  /** Returns the changes since the last call. */
  take(): ServiceChange
  /** Returns maps that have not emitted yet. */
  silent(): readonly MapName[]
  /** Releases the service. */
  close(): void
}

/** Options of a watch. */
interface WatchOptions {
  /** Counts subscriptions. */
  readonly ledger: Ledger
  /** Called for every emission, even during `watchService`. Must not throw. */
  readonly onEmit: () => void
  /** Called when a map errors, whose last value is then `kept`, or when a service reports a failure. Must not throw. */
  readonly onFailure: (failure: MemberFailure, kept?: boolean) => void
}

/** Subscribes to a service's three maps, once each. */
export function watchService(service: AgenticService, options: WatchOptions): ServiceWatch {
  // Subscribed first, because it does not replay: a member may fail as soon as its map is subscribed to.
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
      // Unsubscribed last, because releasing a source may fail.
      failures.unsubscribe()
    },
  }
}

/** A watched map. */
interface MapWatch<Member> {
  /** Returns the changes since the last call, if any. */
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

/** Watches a map of our own service, which names its changed members, so that unchanged ones cost nothing. */
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
      return { keys, find: members.find }
    },
    silent: () => !members.spoken(),
    close() {
      unfollow()
      closed()
    },
  }
}

/** Watches a map of any other service, which emits whole maps. After an error or completion the last map stays. */
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
      // If an earlier listener makes the source emit again during an emission, later listeners get the newest value first and
      // the previous one last. So after a burst, subscribe again for the current value. A source without an immediate value may
      // be cold, so leave it alone.
      if (emissions > 1 && speaksAtOnce && !subscription.closed) newest = sample(source, newest)
      if (emissions === 0) return undefined
      emissions = 0
      const map = newest
      const keys = new Set([...taken, ...Object.keys(map)])
      taken = Object.keys(map)
      return { keys, find: (key) => (Object.hasOwn(map, key) ? map[key] : undefined) }
    },
    silent: () => !spoken,
    close: () => subscription.unsubscribe(),
  }
}

/** Returns the value that a source emits on subscribing, or `fallback` when it emits none. */
function sample<Value>(source: Observable<Value>, fallback: Value): Value {
  let value = fallback
  source.subscribe({ next: (next) => (value = next), error: () => undefined }).unsubscribe()
  return value
}
