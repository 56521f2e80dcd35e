import type { AgenticService } from "@x/agentic-service"
import type { MemberFailure } from "@x/agentic-service/adapter"
import type { WireClosedCode } from "../channel.js"
import { type AnyFrame, isId, type MapName, type MirrorFrame } from "../frames.js"
import type { Asking } from "../identity.js"
import { now } from "../time.js"
import { WireError } from "../wire-error.js"
import type { MirrorNode } from "./mirror-node.js"
import type { Seat } from "./occupant.js"
import type { RawChange, RawGraph, RawService } from "./raw-graph.js"
import type { Requests } from "./requests.js"

/** The connection over one channel: the received graph and the mirror nodes bound to it. */
export interface Connection {
  /** The pending requests. */
  readonly requests: Requests
  /** Whether the first full snapshot has arrived. */
  isWhole(): boolean
  /** The root as received. */
  root(): RawService | undefined
  /** Returns a service as received. */
  find(id: number): RawService | undefined
  /** Sends a frame. */
  send(frame: MirrorFrame): void
  /** Handles a frame after the hello. */
  take(frame: AnyFrame): void
  /** Returns the number of a mirror node on this channel. */
  idOf(node: MirrorNode): number | undefined
  /** Returns the number of the service that has an identity, or `undefined` if none or several have it. */
  idOfThing(thing: string): number | undefined
  /** Returns a service's mirror node, which it creates if necessary. */
  nodeOf(id: number): MirrorNode | undefined
  /** Binds mirror nodes to the services of this connection. A node is reused if the same links lead to it. */
  adopt(root: MirrorNode): void
  /** Whether all visible members would still exist if this connection were adopted now. */
  covers(root: MirrorNode): boolean
  /** Returns the seat of a received service. */
  seatOf(raw: RawService): Seat
  /** Makes questions of the other side safe to show to a person. */
  show(asking: Asking): Asking
}

/** Dependencies of a connection. */
export interface ConnectionOptions extends Pick<Connection, "requests" | "send" | "seatOf" | "show"> {
  /** The received graph. */
  readonly graph: RawGraph
  /** Creates a mirror node. */
  readonly createNode: () => MirrorNode
  /** Returns the mirror node of a service. */
  readonly findNode: (service: AgenticService) => MirrorNode | undefined
  /** Called with a mirror node that no longer stands for any service. */
  readonly drop: (node: MirrorNode) => void
  /** Whether the mirror nodes are bound to this connection. */
  readonly isAdopted: () => boolean
  /**
   * Called when the first full snapshot has arrived, and on every diff while the connection is not adopted. The argument says
   * whether the root's actions or declarations may have changed.
   */
  readonly whole: (actions: boolean) => void
  /** Called on every diff. */
  readonly told: () => void
  /** Called when a mirror node of this connection has got another identity in a diff. */
  readonly replaced: () => void
  /** The shortest time between two acknowledgements, in milliseconds. */
  readonly paceMs: number
  /** Called with a failure of the other side. */
  readonly failed: (failure: MemberFailure) => void
  /** Called when the other side breaks the protocol. */
  readonly broken: (code: WireClosedCode, reason: string) => void
}

/** Creates a connection that has received nothing yet. */
export function createConnection(options: ConnectionOptions): Connection {
  const { graph, requests, send, seatOf, show } = options
  const bindings = createBindings(options)
  const acknowledge = createAcknowledging(options)
  let live = false
  let unseen: number | undefined

  const takeDiff = (frame: AnyFrame): void => {
    const change = graph.take(frame)
    bindings.apply(change)
    acknowledge.taken(frame["n"])
    live ||= frame["live"] === true
    options.told()
    if (live && !options.isAdopted()) {
      const root = graph.root()
      options.whole(root?.unseen !== unseen || (root && change.touched.get(root)?.actions.size) !== 0)
      unseen = root?.unseen
    }
    for (const failure of readFailures(frame["failures"])) options.failed(failure)
  }

  return {
    ...bindings,
    requests,
    send,
    seatOf,
    show,
    root: () => graph.find(0),
    find: graph.find,
    idOfThing(thing) {
      const [found, ...others] = [...graph.all()].filter((raw) => seatOf(raw).thing === thing)
      return others.length === 0 ? found?.id : undefined
    },
    isWhole: () => live,
    take(frame) {
      if (frame.t !== "diff") {
        if (frame.t === "result") acknowledge.result()
        requests.take(frame)
        return
      }
      try {
        takeDiff(frame)
      } catch (thrown) {
        const { code, message } = WireError.from(thrown)
        options.broken(code === "limit" ? "limit" : "malformed", message)
      }
    },
  }
}

/** Acknowledges diffs at a limited pace. The other side merges changes in between. */
function createAcknowledging({ send, paceMs, broken }: Pick<ConnectionOptions, "send" | "paceMs" | "broken">) {
  let last = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let newest = 0
  let unasked = 0
  const say = (): void => {
    timer = undefined
    last = now()
    unasked = Math.max(0, unasked - 1)
    send({ t: "ack", n: newest })
  }
  return {
    taken(n: unknown): void {
      newest = isId(n) ? n : newest
      unasked += 1
      if (unasked > MOST_UNASKED) broken("limit", "found more diffs than were asked for")
      const wait = last + paceMs - now()
      if (wait <= 0 && timer === undefined) say()
      else timer ??= setTimeout(say, wait)
    },
    /** A diff that was not asked for may precede a result, so that diff does not count. */
    result(): void {
      unasked = Math.max(0, unasked - 1)
    },
  }
}

const MOST_UNASKED = 1_000

/** The mapping between mirror nodes and received services. */
interface Bindings extends Pick<Connection, "idOf" | "nodeOf" | "adopt" | "covers"> {
  /** Applies a diff to the bound mirror nodes. */
  apply(change: RawChange): void
}

function createBindings(options: ConnectionOptions): Bindings {
  const { graph, createNode, findNode, drop, isAdopted, seatOf, replaced } = options
  const byId = new Map<number, MirrorNode>()
  const ids = new Map<MirrorNode, number>()

  const bind = (id: number, node: MirrorNode): MirrorNode => {
    byId.set(id, node)
    ids.set(node, id)
    return node
  }
  const unbind = ({ id }: RawService): void => {
    const node = byId.get(id)
    byId.delete(id)
    if (node === undefined) return
    ids.delete(node)
    drop(node)
  }
  const targetsOf = (id: number, node: MirrorNode) => findTargets(graph, id, (key) => findBefore(node, key))
  const findBefore = (node: MirrorNode, key: string): MirrorNode | undefined => {
    const service = node.linked(key)
    return service && findNode(service)
  }
  const bindTargets = (id: number, node: MirrorNode): void => {
    for (const [target, before] of targetsOf(id, node))
      if (!byId.has(target)) bind(target, before === undefined || ids.has(before) ? createNode() : before)
  }

  return {
    idOf: (node) => ids.get(node),
    nodeOf(id) {
      const known = byId.get(id)
      const raw = graph.find(id)
      if (known !== undefined || raw === undefined) return known
      const made = bind(id, createNode())
      made.occupant.take(seatOf(raw))
      made.update(raw)
      made.occupant.tell()
      return made
    },
    apply({ touched, gone }) {
      if (!isAdopted()) return
      // Listeners that are notified of a member must find the new identity of its service.
      for (const raw of touched.keys()) byId.get(raw.id)?.occupant.take(seatOf(raw))
      // A link's target is sent before the link. Update targets first here, too, so that nobody sees half a graph.
      for (const [raw, keys] of [...touched].reverse()) byId.get(raw.id)?.update(raw, keys)
      const others = [...touched.keys()].filter(({ id }) => byId.get(id)?.occupant.tell() === true)
      if (others.length > 0) replaced()
      for (const raw of gone) unbind(raw)
    },
    adopt(root) {
      // The connection may have been adopted before, with another in between.
      byId.clear()
      ids.clear()
      bind(0, root)
      // The map grows during the loop: each service is bound once, along the first link that reaches it.
      for (const [id, node] of byId) bindTargets(id, node)
      const told = [...byId].flatMap(([id, node]) => {
        const raw = graph.find(id)
        return raw === undefined ? [] : [{ node, raw }]
      })
      for (const { node, raw } of told) node.occupant.take(seatOf(raw))
      for (const { node, raw } of told.reverse()) {
        node.update(raw)
        node.setDown(undefined)
      }
      // An identity may change although every member stays the same.
      for (const { node } of told) node.occupant.tell()
    },
    covers: (root) => covers(root, graph, targetsOf),
  }
}

/** Yields the linked services, each with the mirror node that the same link led to before. */
function* findTargets(
  graph: RawGraph,
  id: number,
  before: (key: string) => MirrorNode | undefined,
): Iterable<readonly [number, MirrorNode | undefined]> {
  for (const [key, { target }] of graph.find(id)?.links ?? [])
    if (graph.find(target) !== undefined) yield [target, before(key)]
}

function covers(
  root: MirrorNode,
  graph: RawGraph,
  targetsOf: (id: number, node: MirrorNode) => ReturnType<typeof findTargets>,
): boolean {
  const seen = new Map([[0, root]])
  for (const [id, node] of seen) {
    const raw = graph.find(id)
    if (raw === undefined || !node.isCoveredBy(raw)) return false
    for (const [target, before] of targetsOf(id, node))
      if (before !== undefined && !seen.has(target)) seen.set(target, before)
  }
  return true
}

const KINDS: Readonly<Record<MapName, MemberFailure["kind"]>> = { states: "state", actions: "action", links: "link" }

function readFailures(json: unknown): readonly MemberFailure[] {
  if (!Array.isArray(json)) return []
  return json.slice(0, MOST_FAILURES).flatMap((entry: unknown): readonly MemberFailure[] => {
    const [kind, key, message] = Array.isArray(entry) ? entry : []
    if (typeof message !== "string" || (kind !== "states" && kind !== "actions" && kind !== "links")) return []
    const cause = new WireError(message.slice(0, FAILURE_TEXT), { code: "unexpected" })
    return [{ kind: KINDS[kind as MapName], cause, ...(typeof key === "string" && key !== "" && { key }) }] // just checked
  })
}

const MOST_FAILURES = 20
const FAILURE_TEXT = 500
