import type { AgenticService, Link } from "@x/agentic-service"
import { durableThingOf } from "@x/agentic-service/adapter"
import { comparePaths, formatPath, type Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import type { Clock, Host } from "../runtime/host.js"
import { createDerivedNames, type PlacedTools } from "./derived-names.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import { createFormerPaths } from "./former-paths.js"
import { createGraph, type Place } from "./graph.js"
import type { KnownTool } from "./known-tools.js"
import { createLinkEntries, reportTraded } from "./link-entries.js"
import type { CatalogueLimits, Listing } from "./listing.js"
import type { NodeContext } from "./node-context.js"
import { type Aims, createPlacedTargets } from "./placed-targets.js"
import type { PublishInput } from "./publish-tool.js"
import type { MembersChange } from "./published-members.js"
import { createLinkReader } from "./read-links.js"
import type { SilentService } from "./readiness.js"
import { createServiceNode, type ServiceNode } from "./service-node.js"
import { followWay, type Way } from "./way.js"

/** The services of a graph, each watched once, wherever their links lead. */
export interface ServiceTree {
  /** Processes all emissions, including the first maps of newly reached services. */
  update(): void
  /** Whether some work remains for another task. */
  unfinished(): boolean
  /** Returns the services with maps that have not emitted yet. */
  silent(): Iterable<SilentService>
  /** Returns the visible states of the service at a path, which may be an alias or a former path of its instance. */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** Returns one visible state of the service at such a path. */
  stateAt(path: Path, key: string): StateEntry | undefined
  /** Returns the service instances along a path; see {@link Way}. Returns `undefined` when the path leads nowhere. */
  way(path: Path): Way | undefined
  /** Targets of services. */
  readonly aims: Aims
  /**
   * Publishes the root at another path, or another service in its place. Only for a tree with
   * {@link ServiceTreeOptions.alone}.
   */
  moveTo(path: Path, service: AgenticService): void
  /** Returns a tool by its service's canonical path and its action key, callable or declared. */
  toolAt(path: Path, key: string): ToolEntry | undefined
  /** Finds a tool by its canonical name, declared ones included, or by a name from its path or another link. */
  find(name: string): KnownTool | undefined
  /** Releases every service. */
  close(): void
}

/** Options of a tree. */
interface ServiceTreeOptions {
  /** The root service. */
  readonly service: AgenticService
  /** The service's path in a larger graph; its own links are then ignored. Default: links are followed. */
  readonly alone?: Path | undefined
  /** Creates tool names. */
  readonly toolName: ToolNamer
  /** Publishes input schemas. */
  readonly publishInput: PublishInput
  /** Creates resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Limits of the catalogue. */
  readonly limits: CatalogueLimits
  /** The lists that entries go into. */
  readonly listing: Listing
  /** Called for every emission of every service. Must not throw. */
  readonly onEmit: () => void
}

/** Subscribes to the root. The first {@link ServiceTree.update} follows its links. */
export function createServiceTree(options: ServiceTreeOptions): ServiceTree {
  const { graph, nodes, aimed, linkEntries, former, replaceRoot, update, unfinished } = createFollower(options)
  const names = createDerivedNames(options.toolName)
  /** Returns the root if this is its path in the larger graph, or was. */
  const rootAt = (path: Path): Place<AgenticService> | undefined =>
    comparePaths(path, graph.root.path) === 0 ? graph.root : former.find(path)
  function* known(): Iterable<PlacedTools> {
    for (const place of graph.places()) {
      const node = nodes.get(place.service)
      if (node !== undefined) yield { place, tools: node.knownTools() }
    }
  }
  return {
    update,
    unfinished,
    toolAt(path, key) {
      const place = graph.at(options.alone === undefined ? path : [])
      return place && nodes.get(place.service)?.tool(key)
    },
    find: (name) => names.find(name, known()),
    *silent() {
      for (const node of nodes.values()) {
        const maps = node.silent()
        if (maps.length > 0) yield { path: node.place.path, maps }
      }
    },
    statesAt(path) {
      const place = options.alone === undefined ? former.at(path) : graph.at(path)
      return place && nodes.get(place.service)?.states()
    },
    stateAt(path, key) {
      const place = options.alone === undefined ? former.at(path) : rootAt(path)
      return (
        place &&
        nodes
          .get(place.service)
          ?.states()
          .find((state) => state.key === key)
      )
    },
    way: (path) => followWay(graph.root, path, linkEntries.isFixed),
    aims: { targets: createPlacedTargets(aimed), isAimed: () => aimed.size > 0 },
    moveTo(path, service) {
      if (service !== graph.root.service) return replaceRoot(path, service)
      former.moveRoot(path, service)
      nodes.get(service)?.move()
    },
    close() {
      for (const node of nodes.values()) node.close()
      nodes.clear()
      aimed.clear()
    },
  }
}

/** The maximum of remembered former paths. */
const MAX_FORMER = 5_000

/** Creates a node for each service of the graph, and updates the graph from their links. */
function createFollower(options: ServiceTreeOptions) {
  const { limits, listing, host } = options
  const graph = createGraph(options.service, limits.depth, options.alone)
  const nodes = new Map<AgenticService, ServiceNode>()
  const emitted = new Set<AgenticService>()
  const unfinished = new Set<AgenticService>()
  const aimed = new Map<AgenticService, ServiceNode>()
  const linkEntries = createLinkEntries(listing.links)
  const former = createFormerPaths(graph, MAX_FORMER)
  const named = new Map<string, AgenticService>()
  const pace = createPace(host.clock)
  const { read: readLinks, forget } = createLinkReader({ ...options, watched: nodes })
  const { tools, known, states, naming, valueChanged: onValue } = listing
  const context: NodeContext = { ...options, tools, known, states, naming, onValue, mayPublish: pace.mayPublish }

  const join = (place: Place<AgenticService>): void => {
    // Its first maps may arrive before its node exists, so emissions are recorded by service.
    const node = createServiceNode(place, context, () => {
      emitted.add(place.service)
      options.onEmit()
    })
    nodes.set(place.service, node)
    reportShared(host.report, place, named)
    if (node.targetKeys !== undefined) aimed.set(place.service, node)
  }
  const leave = (place: Place<AgenticService>): void => {
    const { service } = place
    nodes.get(service)?.close()
    for (const all of [nodes, emitted, unfinished, aimed]) all.delete(service)
    linkEntries.remove(place)
    forget(place)
    const id = durableThingOf(service)
    if (id !== undefined && named.get(id) === service) named.delete(id)
  }
  const applyLinks = (place: Place<AgenticService>, changed: MembersChange<Link>): void => {
    const { links, services } = readLinks(place, changed)
    reportTraded(host.report, place, services)
    const change = former.setLinks(place, services)
    change.left.forEach(leave)
    for (const moved of change.moved) nodes.get(moved.service)?.move()
    linkEntries.refresh(place, links, change)
    for (const joined of change.joined) join(joined)
    for (const path of change.tooDeep) reportTooDeep(host.report, limits, path)
  }
  const takeIn = (service: AgenticService): void => {
    emitted.delete(service)
    const node = nodes.get(service)
    if (node === undefined) return
    const { links, replaced } = node.update()
    if (node.unfinished()) unfinished.add(service)
    if (replaced) {
      former.put(node.place)
      linkEntries.renew(node.place)
    }
    if (links !== undefined && options.alone === undefined) applyLinks(node.place, links)
  }
  const update = (): void => {
    pace.begin()
    for (const service of unfinished) emitted.add(service)
    unfinished.clear()
    // A set may grow during iteration: services that join are processed as well.
    for (const service of emitted) takeIn(service)
    naming.renewDisplaced()
    if (unfinished.size > 0) options.onEmit()
  }
  const replaceRoot = (path: Path, service: AgenticService): void => {
    leave(graph.root)
    former.moveRoot(path, service)
    join(graph.root)
  }
  join(graph.root)
  return { graph, nodes, aimed, linkEntries, former, replaceRoot, update, unfinished: () => unfinished.size > 0 }
}

/**
 * Reports an author's `id` that two services share: they count as one instance, so consent to one also covers the other.
 *
 * @param named - Maps each id to its service. This service's id is added.
 */
function reportShared(
  report: Report,
  { service, path }: Place<AgenticService>,
  named: Map<string, AgenticService>,
): void {
  const id = durableThingOf(service)
  if (id === undefined) return
  const other = named.get(id)
  named.set(id, service)
  if (other === undefined || other === service) return
  report({
    code: "id_shared",
    message: `"${formatPath(path)}" has the id "${service.id}", which another linked service has too: expected an id of one service only, such as a document's key, found a shared one`,
    path,
  })
}

/** The minimum of tools published in one task, and the milliseconds after which the rest waits for the next. */
const SLICE = { tools: 200, ms: 10 }

/** Creates a pace for publishing, so that other work runs between many tools. */
function createPace({ now }: Clock) {
  let left = 0
  let until = 0
  return {
    begin(): void {
      left = SLICE.tools
      until = now() + SLICE.ms
    },
    mayPublish(): boolean {
      left -= 1
      return left >= 0 || now() < until
    },
  }
}

function reportTooDeep(report: Report, limits: CatalogueLimits, path: Path): void {
  report({
    code: "depth_limit",
    message: `link "${formatPath(path)}" is left out: it is ${path.length} links deep and "limits.depth" is ${limits.depth}`,
    path: path.slice(0, -1),
    key: path.at(-1) ?? "",
  })
}
