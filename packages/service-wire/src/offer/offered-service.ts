import type { Action, AgenticService, Link, Questions, State } from "@x/agentic-service"
import {
  type ActionDefinition,
  type DeclaredMember,
  type LiveMembers,
  liveMembersOf,
  type MemberFailure,
  type StateDefinition,
} from "@x/agentic-service/adapter"
import type { Observable } from "rxjs"
import { MAP_NAMES, type MapName, type ServiceIntro } from "../frames.js"

/** An offered service that is followed, with the changes to send. */
export interface OfferedService {
  /** The service's number on the wire. */
  readonly id: number
  /** The service. */
  readonly service: AgenticService
  /** The followed maps of the service. */
  readonly maps: {
    /** The states. */
    readonly states: MapWatch<State>
    /** The actions. */
    readonly actions: MapWatch<Action>
    /** The links. */
    readonly links: MapWatch<Link>
  }
  /** Keys of members that may have changed since they were sent. */
  readonly dirty: Readonly<Record<MapName, Set<string>>>
  /** Declared members that have not been sent yet. */
  readonly undeclared: [kind: MapName, key: string][]
  /** Declared members whose reason may have changed. */
  readonly unexplained: Record<MapName, Set<string>>
  /** The members as last sent. */
  readonly told: {
    /** States: the state whose definition was sent last, and its value if that cannot change in place. */
    readonly states: Map<string, TellTale<StateDefinition>>
    /** Actions. */
    readonly actions: Map<string, TellTale<ActionDefinition>>
    /** Links with their targets. */
    readonly links: Map<string, TellTale<Link>>
  }
  /** The reasons as last sent, by kind and key. */
  readonly reasons: Map<string, string>
  /** The maps that were announced to have emitted. */
  readonly spoken: Set<MapName>
  /** The introduction as last sent; `undefined` before that. */
  named: ServiceIntro | undefined
  /** Stops following the service. */
  stop(): void
}

/** A member as last sent, with its size. */
export interface TellTale<Told> {
  /** The item that was sent. */
  readonly told: Told
  /** Its size, counted against the limit of what the other side holds. */
  readonly size: number
  /** The sent value in a tuple if it is a primitive; absent for values that may change in place. */
  readonly value?: readonly [unknown]
}

/** Receives the changes of an offered service. */
export interface OfferedListener {
  /** Called when changes are pending. Must not throw. */
  changed(): void
  /** Called when a member failed. Must not throw. */
  failed(failure: MemberFailure): void
}

/** Follows a service. Its current members count as changed. */
export function followService(id: number, service: AgenticService, listener: OfferedListener): OfferedService {
  const dirty = createKeySets()
  const unexplained = createKeySets()
  const undeclared: [MapName, string][] = []
  let declared: Declared = nothing
  /** Checks declarations and reasons. They may change while members do not, as when a mirror is itself offered. */
  const look = (): void => {
    const before = declared
    declared = service.declared
    for (const kind of MAP_NAMES) for (const key of Object.keys(declared[kind])) unexplained[kind].add(key)
    // The list is sent backwards.
    undeclared.push(...findNews(before, declared).reverse())
  }
  const note = (kind: MapName) => (keys: Iterable<string>) => {
    let any = false
    for (const key of keys) {
      any = true
      dirty[kind].add(key)
      if (Object.hasOwn(declared[kind], key)) unexplained[kind].add(key)
    }
    if (!any) look()
    listener.changed()
  }
  // Subscribed first because it replays nothing: a member may fail as soon as its map is followed.
  const failures = service.failures.subscribe({
    next(failure) {
      const kind = KINDS[failure.kind]
      if (failure.key !== undefined && Object.hasOwn(declared[kind], failure.key)) note(kind)([failure.key])
      listener.failed(failure)
    },
    error: () => {},
  })
  const occupied = service.occupancy?.changes.subscribe({ next: () => listener.changed(), error: () => {} })
  const maps = {
    states: watchMap(service.states, note("states")),
    actions: watchMap(service.actions, note("actions")),
    links: watchMap(service.links, note("links")),
  }
  look()
  return {
    id,
    service,
    maps,
    dirty,
    undeclared,
    unexplained,
    told: { states: new Map(), actions: new Map(), links: new Map() },
    reasons: new Map(),
    spoken: new Set(),
    named: undefined,
    stop() {
      failures.unsubscribe()
      occupied?.unsubscribe()
      for (const kind of MAP_NAMES) maps[kind].stop()
    },
  }
}

type Declared = AgenticService["declared"]

const nothing: Declared = { states: {}, actions: {}, links: {} }

/** Returns the declarations that have changed. */
function findNews(before: Declared, declared: Declared): [MapName, string][] {
  return MAP_NAMES.flatMap((kind) =>
    Object.entries(declared[kind])
      .filter(([key, member]) => !Object.hasOwn(before[kind], key) || !sameDeclared(before[kind][key], member))
      .map(([key]): [MapName, string] => [kind, key]),
  )
}

/** Compares by reference: declarations are rebuilt as a whole, but an unchanged definition stays the same object. */
function sameDeclared(one: DeclaredMember<object> | undefined, other: DeclaredMember<object>): boolean {
  return one?.definition === other.definition && one.conditional === other.conditional
}

/** The map that holds the members of each kind. */
export const KINDS: Readonly<Record<MemberFailure["kind"], MapName>> = {
  state: "states",
  action: "actions",
  link: "links",
}

function createKeySets(): Record<MapName, Set<string>> {
  return { states: new Set(), actions: new Set(), links: new Set() }
}

/** A followed map of a service. */
interface MapWatch<Item> extends Pick<LiveMembers<Item>, "find" | "keys" | "spoken"> {
  /** Checks sources again, at once, whose current value may be stale. */
  settle(): void
  /** Stops following the map. */
  stop(): void
}

/**
 * Follows a map and calls `changed` with the changed keys, beginning with the current ones. A service of this library knows its
 * changed keys; the maps of any other are compared as a whole.
 */
function watchMap<Item>(
  map: Observable<Readonly<Record<string, Item>>>,
  changed: (keys: Iterable<string>) => void,
): MapWatch<Item> {
  const members = liveMembersOf(map)
  if (members === undefined) return watchWhole(map, changed)
  const stop = members.follow(changed)
  if (members.spoken()) changed(members.keys())
  return { find: members.find, keys: members.keys, spoken: members.spoken, settle: () => members.settle(), stop }
}

function watchWhole<Item>(
  map: Observable<Readonly<Record<string, Item>>>,
  changed: (keys: Iterable<string>) => void,
): MapWatch<Item> {
  let current: Readonly<Record<string, Item>> = {}
  let spoken = false
  const subscription = map.subscribe({
    next(entries) {
      const keys = new Set([...Object.keys(current), ...Object.keys(entries)])
      current = entries
      spoken = true
      changed(keys)
    },
    // A custom service may error, though its contract forbids it. Its last members stay.
    error() {
      spoken = true
      changed([])
    },
  })
  return {
    find: (key) => (Object.hasOwn(current, key) ? current[key] : undefined),
    keys: () => Object.keys(current),
    spoken: () => spoken,
    settle: () => {},
    stop: () => subscription.unsubscribe(),
  }
}

/** The question that a person is asked before an action runs. */
export interface AskedHere {
  /** The action's key. */
  readonly action: string
  /** The action's title for people, if any. */
  readonly title?: string
  /** Whether the action may be destructive. */
  readonly destructive: boolean
  /** The text to confirm, if any. */
  readonly confirm?: string
  /** The questions to answer, by key. */
  readonly questions: Questions
  /** Aborts when the caller gives up. */
  readonly signal: AbortSignal
}
