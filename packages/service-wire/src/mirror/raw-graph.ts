import type { ActionDefinition, LinkDefinition, StateDefinition } from "@x/agentic-service/adapter"
import { fromBase64, isRecord, type JsonValue } from "@x/base"
import { type AnyFrame, isId, type MapName } from "../frames.js"
import type { WireLimits } from "../limits.js"
import {
  list,
  type RawAction,
  type RawDeclared,
  type RawLink,
  type RawState,
  readActionDefinition,
  readLinkDefinition,
  readStateDefinition,
  record,
  type Trust,
  text,
  toMapName,
} from "../members.js"
import { malformed, WireError } from "../wire-error.js"

/** A service as received: checked data that cannot be called. */
export interface RawService {
  /** The number of the service. */
  readonly id: number
  /** The service's name. */
  name: string
  /** The service's description. */
  description: string | undefined
  /** The identity that the other side sent; `undefined` if it sent none. */
  thing: string | undefined
  /** Whether an author gave that identity. */
  lasting: boolean
  /** The declared members. */
  readonly declared: {
    /** Declared states. */
    readonly states: Map<string, RawDeclared<StateDefinition>>
    /** Declared actions. */
    readonly actions: Map<string, RawDeclared<ActionDefinition>>
    /** Declared links. */
    readonly links: Map<string, RawDeclared<LinkDefinition>>
  }
  /** The available states. */
  readonly states: Map<string, RawState>
  /** The available actions. */
  readonly actions: Map<string, RawAction>
  /** The available links. */
  readonly links: Map<string, RawLink>
  /** The reasons why declared members are unavailable. */
  readonly reasons: Record<MapName, Map<string, string>>
  /** The maps that have emitted. */
  readonly spoken: Set<MapName>
  /** The number of changes that no member shows: of declarations and of reasons for missing members. */
  unseen: number
}

type RawIntro = Pick<RawService, "name" | "description" | "thing" | "lasting">

/** All received services, as data. */
export interface RawGraph {
  /** Applies a diff. Throws a `WireError` if it is malformed or exceeds a limit. */
  take(frame: AnyFrame): RawChange
  /** Returns the service of a number. */
  find(id: number): RawService | undefined
  /** Iterates over all services. */
  all(): Iterable<RawService>
  /** Returns the root, if it has been received. */
  root(): RawService | undefined
}

/** The changes of a diff. */
export interface RawChange {
  /** Services with changed members, and those members' keys. */
  readonly touched: ReadonlyMap<RawService, Readonly<Record<MapName, ReadonlySet<string>>>>
  /** The removed services. */
  readonly gone: readonly RawService[]
}

/** Creates an empty graph. */
export function createRawGraph(limits: WireLimits, trust: Trust): RawGraph {
  const services = new Map<number, RawService>()
  const tally = createTally(limits)

  const serviceOf = (diff: Readonly<Record<string, unknown>>): RawService => {
    const { id, intro } = diff
    if (!isId(id)) throw malformed(`found ${typeof id} as the number of a service, expected an integer from 0`)
    const known = services.get(id)
    if (known !== undefined && intro === undefined) return known
    const named = readIntro(id, intro)
    const raw = known === undefined ? createRawService(id, named) : Object.assign(known, named)
    tally.set(raw, "intro", intro)
    raw.unseen += 1
    if (known === undefined && services.size >= limits.services) throw tooMany("services", limits.services)
    services.set(id, raw)
    return raw
  }
  const takeService = (diff: unknown): readonly [RawService, Record<MapName, Set<string>>] => {
    if (!isRecord(diff)) throw malformed("found a service diff that is not an object")
    const raw = serviceOf(diff)
    for (const entry of optionalList(diff["declared"])) {
      const [kind, key] = list(entry)
      tally.set(raw, `declared/${String(kind)}/${String(key)}`, entry)
      readDeclared(raw, entry, trust)
      raw.unseen += 1
    }
    const take = (kind: MapName) => new Set(optionalList(diff[kind]).map((entry) => takeMember(raw, kind, entry)))
    const keys = { states: take("states"), actions: take("actions"), links: take("links") }
    for (const entry of optionalList(diff["why"])) takeReason(raw, keys, entry)
    for (const name of optionalList(diff["spoken"])) takeSpoken(raw, name)
    return [raw, keys]
  }
  const takeMember = (raw: RawService, kind: MapName, entry: unknown): string => {
    const [key, item] = list(entry)
    if (typeof key !== "string") throw malformed(`found ${typeof key} as the key of a member, expected a string`)
    tally.set(raw, `${kind}/${key}`, item === 0 ? undefined : item)
    if (item === 0) raw[kind].delete(key)
    // Parsed from JSON.
    else readMember[kind](raw, { key, item: item as JsonValue, ...trust })
    return key
  }

  return {
    take(frame) {
      const touched = new Map(list(frame["s"]).map(takeService))
      const gone = optionalList(frame["gone"]).flatMap((id) => {
        const raw = isId(id) ? services.get(id) : undefined
        if (raw === undefined || raw.id === 0) return []
        services.delete(raw.id)
        tally.forget(raw)
        return [raw]
      })
      return { touched, gone }
    },
    find: (id) => services.get(id),
    all: () => services.values(),
    root: () => services.get(0),
  }
}

/** Creates a service without members. */
function createRawService(id: number, named: RawIntro): RawService {
  return {
    id,
    ...named,
    declared: { states: new Map(), actions: new Map(), links: new Map() },
    states: new Map(),
    actions: new Map(),
    links: new Map(),
    reasons: { states: new Map(), actions: new Map(), links: new Map() },
    spoken: new Set(),
    unseen: 0,
  }
}

/** Parses the introduction of a service. */
function readIntro(id: number, intro: unknown): RawIntro {
  if (!isRecord(intro)) throw malformed(`service ${id} has no introduction`)
  const { name, description, thing, lasting } = intro
  return {
    name: text(name, "name"),
    description: description === undefined ? undefined : text(description, "description"),
    thing: thing === undefined ? undefined : text(thing, "thing"),
    lasting: lasting === true && thing !== undefined,
  }
}

/** Parses the definition of a declared member and adds it to its service. */
function readDeclared({ declared }: RawService, entry: unknown, trust: Trust): void {
  const [kind, key, definition, flag] = list(entry)
  const at = text(key, "key")
  const conditional = flag === 1
  if (kind === "states") declared.states.set(at, { definition: readStateDefinition(definition, trust), conditional })
  else if (kind === "actions")
    declared.actions.set(at, { definition: readActionDefinition(definition, trust), conditional })
  else if (kind === "links") declared.links.set(at, { definition: readLinkDefinition(definition), conditional })
  else throw malformed("found a declaration of an unknown kind, expected states, actions or links")
}

/** The received update of a member. */
interface Told extends Trust {
  readonly key: string
  readonly item: JsonValue
}

/** Parses a member's update and applies it. Throws if it is malformed. */
const readMember: Readonly<Record<MapName, (raw: RawService, told: Told) => void>> = {
  states: ({ states, declared }, { key, item, ...trust }) => {
    const { d, v, b, r } = record(item)
    const definition =
      d === undefined ? (states.get(key) ?? declared.states.get(key))?.definition : readStateDefinition(d, trust)
    if (definition === undefined) throw malformed(`state "${key}" has neither a definition nor a declaration`)
    const value = r === 1 ? {} : typeof b === "string" ? fromBase64(b) : v
    states.set(key, { definition, value, remote: r === 1 })
  },
  actions: ({ actions, declared }, { key, item, ...trust }) => {
    const { d, q } = record(item)
    const definition =
      d === undefined ? (actions.get(key) ?? declared.actions.get(key))?.definition : readActionDefinition(d, trust)
    if (definition === undefined) throw malformed(`action "${key}" has neither a definition nor a declaration`)
    actions.set(key, { definition, confirms: q === 1 || q === 3, asks: q === 2 || q === 3 })
  },
  links: ({ links }, { key, item }) => {
    const { s } = record(item)
    if (!isId(s)) throw malformed(`link "${key}" has no target`)
    links.set(key, { target: s, ...readLinkDefinition(item) })
  },
}

function takeReason(raw: RawService, keys: Readonly<Record<MapName, ReadonlySet<string>>>, entry: unknown): void {
  const [kind, key, reason] = list(entry)
  const map = toMapName(kind)
  if (map === undefined || typeof key !== "string" || typeof reason !== "string")
    throw malformed("found a malformed reason, expected kind, key and reason")
  // Kept only for declared members, whose number is limited.
  if (!raw.declared[map].has(key)) return
  raw.reasons[map].set(key, reason.slice(0, REASON))
  if (!keys[map].has(key)) raw.unseen += 1
}

/** The longest reason, in UTF-16 units. A well-behaved side sends no more. */
const REASON = 2_000

function takeSpoken({ spoken }: RawService, name: unknown): void {
  const kind = toMapName(name)
  if (kind !== undefined) spoken.add(kind)
}

function optionalList(value: unknown): readonly unknown[] {
  return value === undefined ? [] : list(value)
}

function tooMany(what: string, most: number): WireError {
  return new WireError(`found more than ${most} ${what}, the limit of the mirror`, { code: "limit" })
}

/** The counter of held members and text. */
interface Tally {
  /** Counts a member instead of the one it replaces; `undefined` removes it. Throws if a limit is exceeded. */
  set(raw: RawService, place: string, item: unknown): void
  /** Forgets a service. */
  forget(raw: RawService): void
}

function createTally(limits: WireLimits): Tally {
  const sizes = new Map<RawService, Map<string, number>>()
  let held = 0
  const counts = { declared: 0, members: 0 }
  const count = (place: string, size: number | undefined, sign: 1 | -1): void => {
    if (size === undefined) return
    if (place !== "intro") counts[place.startsWith("declared/") ? "declared" : "members"] += sign
    held += sign * size
  }
  return {
    set(raw, place, item) {
      const own = sizes.get(raw) ?? new Map<string, number>()
      sizes.set(raw, own)
      count(place, own.get(place), -1)
      own.delete(place)
      if (item === undefined) return
      const size = JSON.stringify(item).length + place.length
      own.set(place, size)
      count(place, size, 1)
      // Some slack over the announced limits: the two sides need not count exactly alike.
      if (Math.max(counts.declared, counts.members) > limits.members * SLACK) throw tooMany("members", limits.members)
      if (held > limits.held * SLACK) throw tooMany("characters", limits.held)
    },
    forget(raw) {
      for (const [place, size] of sizes.get(raw) ?? []) count(place, size, -1)
      sizes.delete(raw)
    },
  }
}

const SLACK = 1.25
