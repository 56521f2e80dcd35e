import type { Action, AgenticService, Link, State } from "@x/agentic-service"
import { createFedService, type Declared, type DeclaredMember, type MemberFailure } from "@x/agentic-service/adapter"
import { sameValue } from "@x/base"
import { Subject } from "rxjs"
import { MAP_NAMES, type MapName } from "../frames.js"
import type { RawAction, RawDeclared, RawLink, RawState } from "../members.js"
import { createMirrorAction, type MirrorCalls } from "./mirror-action.js"
import { createMirrorItems, type MirrorItems } from "./mirror-items.js"
import { createOccupant, type Occupant } from "./occupant.js"
import type { RawService } from "./raw-graph.js"

/** A mirrored service: received data, made into members that can be read and called. */
export interface MirrorNode {
  /** The service. */
  readonly service: AgenticService
  /** The identity of what it represents. */
  readonly occupant: Occupant
  /**
   * Applies received data. Updates the members of the given keys, or all members if no keys are given; unchanged members then
   * stay the same objects.
   */
  update(raw: RawService, keys?: Readonly<Record<MapName, ReadonlySet<string>>>): void
  /**
   * Hides states and actions for the given reason, or shows them again if it is `undefined`. Links stay, and their targets say
   * the same.
   */
  setDown(reason: string | undefined): void
  /** Notifies followers that declarations may have changed, because of another offer. */
  look(): void
  /** Reports a failure of the other side. */
  failed(failure: MemberFailure): void
  /** Returns the service that the link of that key leads to. */
  linked(key: string): AgenticService | undefined
  /** Whether every current member would still exist, changed or not. */
  isCoveredBy(raw: RawService): boolean
}

/** The operations behind the members of a mirrored service. */
export interface MirrorActs {
  /** Returns the operations of its actions. */
  calls(node: MirrorNode): MirrorCalls
  /** Returns the access to a state whose value is held elsewhere. */
  remote(node: MirrorNode, key: string): NonNullable<State["remote"]>
  /** Returns the linked service. */
  target(id: number): AgenticService | undefined
  /** Returns the actions that only another offer has. The map stays the same object while they are the same. */
  elsewhere(node: MirrorNode): ReadonlyMap<string, RawDeclared<RawAction["definition"]>>
  /** The reason why a member of another offer is unavailable. */
  readonly elsewhereReason: string
}

/** Creates a mirrored service that has only a name. */
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
    return kind === "actions" && acts.elsewhere(node).has(key)
      ? acts.elsewhereReason
      : "the application does not offer it now"
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

/** The set of mirror nodes. */
export interface MirrorNodes {
  /** Creates a node. */
  createNode(): MirrorNode
  /** Returns the node of a service. */
  findNode(service: AgenticService): MirrorNode | undefined
  /** Closes a node that no longer stands for any service. */
  drop(node: MirrorNode): void
  /** Hides the members of all nodes for the given reason. */
  hide(reason: string): void
  /** Drops all nodes that do not match. */
  keep(which: (node: MirrorNode) => boolean): void
}

/** Creates an empty set of nodes. */
export function createMirrorNodes(create: () => MirrorNode): MirrorNodes {
  const nodes = new Map<AgenticService, MirrorNode>()
  const drop = (node: MirrorNode): void => {
    nodes.delete(node.service)
    node.setDown("no link leads to its service now")
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
      // Each session has its own numbers. Links are the same if they lead to the same mirrored service.
      same: (one, other, item) => item?.service === acts.target(other.target) && one.description === other.description,
    }),
  }
}

function updateItems(
  items: MirrorItems<RawState, State> | MirrorItems<RawAction, Action> | MirrorItems<RawLink, Link>,
  raw: RawService,
  { kind, keys }: { readonly kind: MapName; readonly keys: ReadonlySet<string> | undefined },
): void {
  // The maps of a service and of its mirror have the same names.
  const { update } = items as MirrorItems<unknown, unknown>
  update(raw[kind], { spoken: raw.spoken.has(kind), keys })
}

/** Turns a seen action into a conditional declaration. */
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
