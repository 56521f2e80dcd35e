import type { ActionDefinition, LinkDefinition, StateDefinition } from "@x/agentic-service/adapter"
import { fromBase64, isRecord, type JsonValue } from "@x/tool-schemas/json"
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

/** A service as the other side told of it: data, checked, and nothing that could be called. */
export interface RawService {
  /** Its number. */
  readonly id: number
  /** Its name. */
  name: string
  /** What it is for. */
  description: string | undefined
  /** What it stands for, in its own words; `undefined` where the other side does not tell. */
  thing: string | undefined
  /** Whether an author gave it that identity. */
  lasting: boolean
  /** Its declared members. */
  readonly declared: {
    /** States. */
    readonly states: Map<string, RawDeclared<StateDefinition>>
    /** Actions. */
    readonly actions: Map<string, RawDeclared<ActionDefinition>>
    /** Links. */
    readonly links: Map<string, RawDeclared<LinkDefinition>>
  }
  /** The states there are. */
  readonly states: Map<string, RawState>
  /** The actions there are. */
  readonly actions: Map<string, RawAction>
  /** The links there are. */
  readonly links: Map<string, RawLink>
  /** Why declared members are not there. */
  readonly reasons: Record<MapName, Map<string, string>>
  /** The maps that have spoken. */
  readonly spoken: Set<MapName>
  /** How often something was told that no member shows: what is declared, and why a member is still not there. */
  unseen: number
}

type RawIntro = Pick<RawService, "name" | "description" | "thing" | "lasting">

/** All services that the other side told of, as data. */
export interface RawGraph {
  /** Takes a diff in. Throws a `WireError` where it cannot be, or is more than is taken. */
  take(frame: AnyFrame): RawChange
  /** The service of a number. */
  find(id: number): RawService | undefined
  /** The root, once it was told of. */
  root(): RawService | undefined
}

/** What a diff changed. */
export interface RawChange {
  /** The services with members that changed, and their keys. */
  readonly touched: ReadonlyMap<RawService, Readonly<Record<MapName, ReadonlySet<string>>>>
  /** The services that are gone. */
  readonly gone: readonly RawService[]
}

/** Nothing told yet. */
export function createRawGraph(limits: WireLimits, trust: Trust): RawGraph {
  const services = new Map<number, RawService>()
  const tally = createTally(limits)

  const serviceOf = (diff: Readonly<Record<string, unknown>>): RawService => {
    const { id, intro } = diff
    if (!isId(id)) throw malformed("a service has no number")
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
    if (!isRecord(diff)) throw malformed("found something that is no service")
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
    if (typeof key !== "string") throw malformed("a member has no key")
    tally.set(raw, `${kind}/${key}`, item === 0 ? undefined : item)
    if (item === 0) raw[kind].delete(key)
    // It came as JSON.
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
    root: () => services.get(0),
  }
}

/** A service of which nothing but its name is known. */
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

/** Reads what a service says it is. */
function readIntro(id: number, intro: unknown): RawIntro {
  if (!isRecord(intro)) throw malformed(`service ${id} has no name`)
  const { name, description, thing, lasting } = intro
  return {
    name: text(name, "name"),
    description: description === undefined ? undefined : text(description, "description"),
    thing: thing === undefined ? undefined : text(thing, "thing"),
    lasting: lasting === true && thing !== undefined,
  }
}

/** Reads the definition of a declared member into its service. */
function readDeclared({ declared }: RawService, entry: unknown, trust: Trust): void {
  const [kind, key, definition, flag] = list(entry)
  const at = text(key, "key")
  const conditional = flag === 1
  if (kind === "states") declared.states.set(at, { definition: readStateDefinition(definition, trust), conditional })
  else if (kind === "actions")
    declared.actions.set(at, { definition: readActionDefinition(definition, trust), conditional })
  else if (kind === "links") declared.links.set(at, { definition: readLinkDefinition(definition), conditional })
  else throw malformed("something is declared that is no state, action or link")
}

/** What became of a member. */
interface Told extends Trust {
  readonly key: string
  readonly item: JsonValue
}

/** Reads what became of a member into its service. Throws where it cannot be. */
const readMember: Readonly<Record<MapName, (raw: RawService, told: Told) => void>> = {
  states: ({ states, declared }, { key, item, ...trust }) => {
    const { d, v, b, r } = record(item)
    const definition =
      d === undefined ? (states.get(key) ?? declared.states.get(key))?.definition : readStateDefinition(d, trust)
    if (definition === undefined) throw malformed(`state "${key}" has no definition`)
    const value = r === 1 ? {} : typeof b === "string" ? fromBase64(b) : v
    states.set(key, { definition, value, remote: r === 1 })
  },
  actions: ({ actions, declared }, { key, item, ...trust }) => {
    const { d, q } = record(item)
    const definition =
      d === undefined ? (actions.get(key) ?? declared.actions.get(key))?.definition : readActionDefinition(d, trust)
    if (definition === undefined) throw malformed(`action "${key}" has no definition`)
    actions.set(key, { definition, confirms: q === 1 || q === 3, asks: q === 2 || q === 3 })
  },
  links: ({ links }, { key, item }) => {
    const { s } = record(item)
    if (!isId(s)) throw malformed(`link "${key}" leads nowhere`)
    links.set(key, { target: s, ...readLinkDefinition(item) })
  },
}

function takeReason(raw: RawService, keys: Readonly<Record<MapName, ReadonlySet<string>>>, entry: unknown): void {
  const [kind, key, reason] = list(entry)
  const map = toMapName(kind)
  if (map === undefined || typeof key !== "string" || typeof reason !== "string") throw malformed("a reason is none")
  // One for each declared member at most, which are counted.
  if (!raw.declared[map].has(key)) return
  raw.reasons[map].set(key, reason.slice(0, REASON))
  if (!keys[map].has(key)) raw.unseen += 1
}

/** How long a reason may be; an honest side sends no more. */
const REASON = 2_000

function takeSpoken({ spoken }: RawService, name: unknown): void {
  const kind = toMapName(name)
  if (kind !== undefined) spoken.add(kind)
}

function optionalList(value: unknown): readonly unknown[] {
  return value === undefined ? [] : list(value)
}

function tooMany(what: string, most: number): WireError {
  return new WireError(`more than ${most} ${what} were offered`, { code: "limit" })
}

/** Counts what is held. */
interface Tally {
  /** Counts a member in the place of the one it replaces; `undefined` for none. Throws where it is too much. */
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
      // A little more than is announced: the two sides need not count to the last character alike.
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
