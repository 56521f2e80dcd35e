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

/** One channel's time: what the other side has told on it, and the mirrored services that stand for it. */
export interface Connection {
  /** What is asked. */
  readonly requests: Requests
  /** Whether the other side has told all there is. */
  isWhole(): boolean
  /** What was told of the service at the root. */
  root(): RawService | undefined
  /** What was told of a service. */
  find(id: number): RawService | undefined
  /** Sends a frame. */
  send(frame: MirrorFrame): void
  /** Takes a later frame in. */
  take(frame: AnyFrame): void
  /** The number that a mirrored service has on this channel. */
  idOf(node: MirrorNode): number | undefined
  /** The mirrored service of a number; made where there is none yet. */
  nodeOf(id: number): MirrorNode | undefined
  /** Has mirrored services stand for what was told from now on: those of before, wherever the same links lead to them. */
  adopt(root: MirrorNode): void
  /** Whether everything that is shown would still be there, if it were adopted now. */
  covers(root: MirrorNode): boolean
  /** What a service stands for that was told of. */
  seatOf(raw: RawService): Seat
  /** Makes questions of the other side fit to be shown to a person. */
  show(asking: Asking): Asking
}

/** What a connection needs. */
export interface ConnectionOptions extends Pick<Connection, "requests" | "send" | "seatOf" | "show"> {
  /** What was told. */
  readonly graph: RawGraph
  /** Makes a mirrored service. */
  readonly createNode: () => MirrorNode
  /** Finds the mirrored service behind a service. */
  readonly findNode: (service: AgenticService) => MirrorNode | undefined
  /** Told of a mirrored service that stands for nothing any more. */
  readonly drop: (node: MirrorNode) => void
  /** Whether mirrored services stand for it now. */
  readonly isAdopted: () => boolean
  /**
   * Told when the other side has told all there is, and at every diff while no mirrored service stands for it; and whether the
   * actions of its root, or what that declares, may be others.
   */
  readonly whole: (actions: boolean) => void
  /** Told at every diff. */
  readonly told: () => void
  /** Told when a mirrored service stands for another thing since the last diff, though not for another connection. */
  readonly replaced: () => void
  /** How often at most it is said that a diff was taken in, in milliseconds. */
  readonly paceMs: number
  /** Told what failed on the other side. */
  readonly failed: (failure: MemberFailure) => void
  /** Told that the other side does not keep to the rules. */
  readonly broken: (code: WireClosedCode, reason: string) => void
}

/** Nothing told yet. */
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

/** Says what was taken in, at a pace: what changes in between is merged on the other side. */
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
      if (unasked > MOST_UNASKED) broken("limit", "changes came faster than they were asked for")
      const wait = last + paceMs - now()
      if (wait <= 0 && timer === undefined) say()
      else timer ??= setTimeout(say, wait)
    },
    /** A result came: one may go before it that was not asked for. */
    result(): void {
      unasked = Math.max(0, unasked - 1)
    },
  }
}

const MOST_UNASKED = 1_000

/** Which mirrored service stands for which that was told. */
interface Bindings extends Pick<Connection, "idOf" | "nodeOf" | "adopt" | "covers"> {
  /** Hands on what changed, where mirrored services stand for it. */
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
      // Whoever is told of a member finds what its service stands for by now.
      for (const raw of touched.keys()) byId.get(raw.id)?.occupant.take(seatOf(raw))
      // What links lead to is told before them: so that nothing is seen half, it comes first here, too.
      for (const [raw, keys] of [...touched].reverse()) byId.get(raw.id)?.update(raw, keys)
      const others = [...touched.keys()].filter(({ id }) => byId.get(id)?.occupant.tell() === true)
      if (others.length > 0) replaced()
      for (const raw of gone) unbind(raw)
    },
    adopt(root) {
      // It may have been adopted before, and another in between.
      byId.clear()
      ids.clear()
      bind(0, root)
      // Grows as it is walked: each service is bound once, along the first links that lead to it.
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
      // Also where every member says the same as before.
      for (const { node } of told) node.occupant.tell()
    },
    covers: (root) => covers(root, graph, targetsOf),
  }
}

/** The services that the links of one lead to, each with the mirrored one that stood for it at the same link before. */
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
