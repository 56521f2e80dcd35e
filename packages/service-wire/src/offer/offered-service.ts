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

/** A service that is offered: followed, and what of it has to be told. */
export interface OfferedService {
  /** Its number on the wire. */
  readonly id: number
  /** The service. */
  readonly service: AgenticService
  /** Its maps. */
  readonly maps: {
    /** Its states. */
    readonly states: MapWatch<State>
    /** Its actions. */
    readonly actions: MapWatch<Action>
    /** Its links. */
    readonly links: MapWatch<Link>
  }
  /** Keys that may be other than was told. */
  readonly dirty: Readonly<Record<MapName, Set<string>>>
  /** Declared members that were not told of yet. */
  readonly undeclared: [kind: MapName, key: string][]
  /** Declared members whose reason may be another. */
  readonly unexplained: Record<MapName, Set<string>>
  /** What was told of what is there. */
  readonly told: {
    /** Of states: the one whose definition was told last, and a value that is known not to change in place. */
    readonly states: Map<string, TellTale<StateDefinition>>
    /** Of actions. */
    readonly actions: Map<string, TellTale<ActionDefinition>>
    /** Of links: what they lead to. */
    readonly links: Map<string, TellTale<Link>>
  }
  /** Reasons that were told, by kind and key. */
  readonly reasons: Map<string, string>
  /** Maps that were told to have spoken. */
  readonly spoken: Set<MapName>
  /** What it was told to be; `undefined` before that. */
  named: ServiceIntro | undefined
  /** Lets go of the service. */
  stop(): void
}

/** What was told of a member, and how long it was. */
export interface TellTale<Told> {
  /** What was told. */
  readonly told: Told
  /** How long it was, for the limit of what the other side holds. */
  readonly size: number
  /** The primitive that was told as the value, boxed; absent for what may change in place. */
  readonly value?: readonly [unknown]
}

/** Whom an offered service tells. */
export interface OfferedListener {
  /** There is something to tell. Must not throw. */
  changed(): void
  /** A member failed. Must not throw. */
  failed(failure: MemberFailure): void
}

/** Follows a service. What there is already is to be told, too. */
export function followService(id: number, service: AgenticService, listener: OfferedListener): OfferedService {
  const dirty = createKeySets()
  const unexplained = createKeySets()
  const undeclared: [MapName, string][] = []
  let declared: Declared = nothing
  /** What is declared, or why it is not there, may be another though no member is: so it is where a mirror is offered on. */
  const look = (): void => {
    const before = declared
    declared = service.declared
    for (const kind of MAP_NAMES) for (const key of Object.keys(declared[kind])) unexplained[kind].add(key)
    // The last is told first.
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
  // First, because it keeps nothing: a member may fail as soon as its map is followed.
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

/** What is declared as something else than before. */
function findNews(before: Declared, declared: Declared): [MapName, string][] {
  return MAP_NAMES.flatMap((kind) =>
    Object.entries(declared[kind])
      .filter(([key, member]) => !Object.hasOwn(before[kind], key) || !sameDeclared(before[kind][key], member))
      .map(([key]): [MapName, string] => [kind, key]),
  )
}

/** Declarations are made anew as a whole; of one that says the same the definition is the same object. */
function sameDeclared(one: DeclaredMember<object> | undefined, other: DeclaredMember<object>): boolean {
  return one?.definition === other.definition && one.conditional === other.conditional
}

/** The map in which members of a kind are. */
export const KINDS: Readonly<Record<MemberFailure["kind"], MapName>> = {
  state: "states",
  action: "actions",
  link: "links",
}

function createKeySets(): Record<MapName, Set<string>> {
  return { states: new Set(), actions: new Set(), links: new Set() }
}

/** One map of a service, followed. */
interface MapWatch<Item> extends Pick<LiveMembers<Item>, "find" | "keys" | "spoken"> {
  /** Has sources that may not have told the truth looked at again, at once. */
  settle(): void
  /** Lets go of the map. */
  stop(): void
}

/**
 * Follows a map by the keys that changed; `changed` is told of those there are at first, too. A service of ours says which they
 * are; of any other its whole maps are compared.
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
    // A service made by hand may err: what cannot be followed any more stays as it was.
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

/** What a person is asked before an action runs. */
export interface AskedHere {
  /** The action's key. */
  readonly action: string
  /** A short name of the action for people, where it has one. */
  readonly title?: string
  /** Whether it may destroy something. */
  readonly destructive: boolean
  /** What has to be confirmed, where that is asked. */
  readonly confirm?: string
  /** What has to be answered, by key. */
  readonly questions: Questions
  /** Aborts when the caller has lost interest. */
  readonly signal: AbortSignal
}
