import type { Action, AgenticService, Link, State } from "@x/agentic-service"
import { createFedService, type Declared, type DeclaredMember, type MemberFailure } from "@x/agentic-service/adapter"
import { sameValue } from "@x/tool-schemas/json"
import { Subject } from "rxjs"
import { MAP_NAMES, type MapName } from "../frames.js"
import type { RawAction, RawDeclared, RawLink, RawState } from "../members.js"
import { createMirrorAction, type MirrorCalls } from "./mirror-action.js"
import { createMirrorItems, type MirrorItems } from "./mirror-items.js"
import { createOccupant, type Occupant } from "./occupant.js"
import type { RawService } from "./raw-graph.js"

/** A mirrored service: what the other side told of it, made into members that can be read and called. */
export interface MirrorNode {
  /** The service. */
  readonly service: AgenticService
  /** What it stands for. */
  readonly occupant: Occupant
  /**
   * Takes what is told of it now, where the members of these keys are new; all of them where none are given, and then those that
   * say the same as before stay the same objects.
   */
  update(raw: RawService, keys?: Readonly<Record<MapName, ReadonlySet<string>>>): void
  /** Hides its states and actions, and says why; `undefined` brings them back. Links stay: what they lead to says the same. */
  setDown(reason: string | undefined): void
  /** Has what is declared looked at again, because another offer may have something else. */
  look(): void
  /** Tells of something that failed on the other side. */
  failed(failure: MemberFailure): void
  /** The service that a link of that key leads to. */
  linked(key: string): AgenticService | undefined
  /** Whether every member there is would still be there; what would be another counts as there. */
  isCoveredBy(raw: RawService): boolean
}

/** What the members of a mirrored service do. */
export interface MirrorActs {
  /** What its actions do. */
  calls(node: MirrorNode): MirrorCalls
  /** What lies behind a state whose value is held elsewhere. */
  remote(node: MirrorNode, key: string): NonNullable<State["remote"]>
  /** The service a link leads to. */
  target(id: number): AgenticService | undefined
  /** Actions that are not there because another offer has them, and why; the same map as long as they are the same. */
  elsewhere(node: MirrorNode): ReadonlyMap<string, RawDeclared<RawAction["definition"]>>
  /** Why what another offer has is not there. */
  readonly elsewhereReason: string
}

/** A service of which nothing is known yet but what to call it. */
export function createMirrorNode(acts: MirrorActs, initialName: string): MirrorNode {
  const failures = new Subject<MemberFailure>()
  let raw: RawService | undefined
  let declared: Declared = { states: {}, actions: {}, links: {} }
  let down: string | undefined
  let unseen = 0
  let elsewhere: ReturnType<MirrorActs["elsewhere"]> | undefined

  const occupant = createOccupant()
  const items = createNodeItems(acts, () => node)
  const reasonOf = (kind: MapName, key: string): string | undefined => {
    if (down !== undefined && kind !== "links") return down
    if (items[kind].has(key)) return undefined
    const told = raw?.reasons[kind].get(key)
    if (told !== undefined) return told
    return kind === "actions" && acts.elsewhere(node).has(key) ? acts.elsewhereReason : "it is not there now"
  }
  const declare = (now: RawService): void => {
    unseen = now.unseen
    elsewhere = acts.elsewhere(node)
    const seen = down === undefined ? [] : items.actions.raws()
    declared = toDeclaration(now, [...elsewhere, ...seen.map(toDeclared)], reasonOf)
  }

  const node: MirrorNode = {
    service: createFedService({
      get name() {
        return raw?.name ?? initialName
      },
      get description() {
        return raw?.description
      },
      get declared() {
        if (raw !== undefined && acts.elsewhere(node) !== elsewhere) declare(raw)
        return declared
      },
      states: items.states.feed,
      actions: items.actions.feed,
      links: items.links.feed,
      failures,
      occupancy: occupant.occupancy,
    }),
    occupant,
    update(next, keys) {
      const another = raw !== next || next.unseen !== unseen
      raw = next
      if (another) declare(next)
      for (const kind of MAP_NAMES) updateItems(items[kind], next, { kind, keys: keys?.[kind] })
      if (another) items.actions.look()
    },
    setDown(reason) {
      down = reason
      if (raw !== undefined) declare(raw)
      for (const kind of ["states", "actions"] as const) items[kind].setHidden(reason !== undefined)
      items.actions.look()
    },
    look: items.actions.look,
    failed: (failure) => failures.next(failure),
    linked: (key) => items.links.feed.find(key)?.service,
    isCoveredBy: (next) => MAP_NAMES.every((kind) => items[kind].raws().every(([key]) => next[kind].has(key))),
  }
  return node
}

/** The mirrored services there are. */
export interface MirrorNodes {
  /** Makes one. */
  createNode(): MirrorNode
  /** Finds the one behind a service. */
  findNode(service: AgenticService): MirrorNode | undefined
  /** Ends one that stands for nothing any more. */
  drop(node: MirrorNode): void
  /** Hides what all of them show, and says why. */
  hide(reason: string): void
  /** Drops all others. */
  keep(which: (node: MirrorNode) => boolean): void
}

/** None yet. */
export function createMirrorNodes(create: () => MirrorNode): MirrorNodes {
  const nodes = new Map<AgenticService, MirrorNode>()
  const drop = (node: MirrorNode): void => {
    nodes.delete(node.service)
    node.setDown("the service it belongs to is not linked now")
    node.service.close()
  }
  return {
    createNode() {
      const node = create()
      nodes.set(node.service, node)
      return node
    },
    findNode: (service) => nodes.get(service),
    drop,
    hide(reason) {
      for (const node of nodes.values()) node.setDown(reason)
    },
    keep(which) {
      for (const node of [...nodes.values()]) if (!which(node)) drop(node)
    },
  }
}

function createNodeItems(acts: MirrorActs, node: () => MirrorNode) {
  return {
    states: createMirrorItems<RawState, State>({
      make: (key, { definition, value, remote }) =>
        remote ? { ...definition, value, remote: acts.remote(node(), key) } : { ...definition, value },
      same: (one, other) =>
        sameValue(one.definition, other.definition) && !other.remote && sameValue(one.value, other.value),
    }),
    actions: createMirrorItems<RawAction, Action>({
      make: (key, action) => createMirrorAction(key, action, acts.calls(node())),
      same: sameValue,
    }),
    links: createMirrorItems<RawLink, Link>({
      make(_key, { target, description }) {
        const service = acts.target(target)
        return service && { service, ...(description !== undefined && { description }) }
      },
      // Numbers are new with each session: what they lead to says whether the link is the same.
      same: (one, other, item) => item?.service === acts.target(other.target) && one.description === other.description,
    }),
  }
}

function updateItems(
  items: MirrorItems<RawState, State> | MirrorItems<RawAction, Action> | MirrorItems<RawLink, Link>,
  raw: RawService,
  { kind, keys }: { readonly kind: MapName; readonly keys: ReadonlySet<string> | undefined },
): void {
  // The maps of a service and those of its mirror have the same names.
  const { update } = items as MirrorItems<unknown, unknown>
  update(raw[kind], { spoken: raw.spoken.has(kind), keys })
}

/** An action that was seen counts as declared, as one that comes and goes. */
function toDeclared([key, { definition }]: readonly [string, RawAction]): readonly [
  string,
  RawDeclared<RawAction["definition"]>,
] {
  return [key, { definition, conditional: true }]
}

function toDeclaration(
  { declared: { states, actions, links } }: RawService,
  more: readonly ReturnType<typeof toDeclared>[],
  reasonOf: (kind: MapName, key: string) => string | undefined,
): Declared {
  return {
    states: toMembers(states, (key) => reasonOf("states", key)),
    actions: toMembers(new Map([...more, ...actions]), (key) => reasonOf("actions", key)),
    links: toMembers(links, (key) => reasonOf("links", key)),
  }
}

function toMembers<Definition>(
  declared: ReadonlyMap<string, RawDeclared<Definition>>,
  unavailable: (key: string) => string | undefined,
): Readonly<Record<string, DeclaredMember<Definition>>> {
  return Object.fromEntries(
    [...declared].map(([key, { definition, conditional }]) => {
      const member: DeclaredMember<Definition> = {
        definition,
        unavailable: () => unavailable(key),
        ...(conditional && { conditional }),
      }
      return [key, member]
    }),
  )
}
