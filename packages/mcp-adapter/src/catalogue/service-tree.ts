import { type AgenticService, toAgenticService } from "@x/agentic-service"
import { durableThingOf, type Links } from "@x/agentic-service/adapter"
import { formatPath, type Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import type { Clock, Host } from "../runtime/host.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import { createGraph, type Graph, type Place } from "./graph.js"
import type { KnownTool } from "./known-tools.js"
import { createLinkEntries, reportTraded } from "./link-entries.js"
import type { CatalogueLimits, Listing } from "./listing.js"
import type { NodeContext } from "./node-context.js"
import { type Aims, createPlacedTargets } from "./placed-targets.js"
import { type PublishInput, reportBroken } from "./publish-tool.js"
import { createServiceNode, type ServiceNode } from "./service-node.js"
import { followWay, type Way } from "./way.js"

/** The services of a graph, each watched once, followed wherever their links lead. */
export interface ServiceTree {
  /** Takes in everything that was emitted, the first maps of services it leads to included. */
  update(): void
  /** Whether some of it is left for another task, because it is much. */
  unfinished(): boolean
  /** The maps that have not spoken yet. */
  silent(): Iterable<{ readonly path: Path; readonly map: string }>
  /** The visible states of the service that a path leads to. */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** The things on the way of a path of links; see {@link Way}. `undefined` where it leads nowhere. */
  way(path: Path): Way | undefined
  /** The targets that services have. */
  readonly aims: Aims
  /** Publishes the root again as what stands at `path`. Only for a tree that is {@link ServiceTreeOptions.alone}. */
  moveTo(path: Path): void
  /** The tool of the service that a canonical path leads to, callable or declared. */
  toolAt(path: Path, key: string): ToolEntry | undefined
  /** The declared tools under their canonical names, and all tools under the names that other links would give them. */
  names(): ReadonlyMap<string, KnownTool>
  /** Lets go of every service. */
  close(): void
}

/** What a tree needs. */
interface ServiceTreeOptions {
  /** The service at the root. */
  readonly service: AgenticService
  /** Leaves out whatever the service links to, and says where in a larger graph it stands. Default: links are followed. */
  readonly alone?: Path | undefined
  /** Makes the tool names. */
  readonly toolName: ToolNamer
  /** Publishes the input schemas. */
  readonly publishInput: PublishInput
  /** Makes the resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** How much is taken in. */
  readonly limits: CatalogueLimits
  /** Where the entries go. */
  readonly listing: Listing
  /** Called for every emission of every service. Must not throw. */
  readonly onEmit: () => void
}

/** Subscribes to the root; what it leads to follows with the first {@link ServiceTree.update}. */
export function createServiceTree(options: ServiceTreeOptions): ServiceTree {
  const { graph, nodes, aimed, linkEntries, update, unfinished } = createFollower(options)
  return {
    update,
    unfinished,
    toolAt(path, key) {
      const place = graph.at(options.alone === undefined ? path : [])
      return place && nodes.get(place.service)?.tool(key)
    },
    names: () => deriveNames(graph, nodes, options.toolName),
    *silent() {
      for (const node of nodes.values()) for (const map of node.silent()) yield { path: node.place.path, map }
    },
    statesAt(path) {
      const place = graph.at(path)
      return place && nodes.get(place.service)?.states()
    },
    way: (path) => followWay(graph.root, path, linkEntries.isFixed),
    aims: { targets: createPlacedTargets(aimed), isAimed: () => aimed.size > 0 },
    moveTo(path) {
      graph.moveRoot(path)
      nodes.get(graph.root.service)?.move()
    },
    close() {
      for (const node of nodes.values()) node.close()
      nodes.clear()
      aimed.clear()
    },
  }
}

/** Keeps a node for each service of the graph, and the graph in line with their links. */
function createFollower(options: ServiceTreeOptions) {
  const { limits, listing, host } = options
  const graph = createGraph(options.service, limits.depth, options.alone)
  const nodes = new Map<AgenticService, ServiceNode>()
  const emitted = new Set<AgenticService>()
  const unfinished = new Set<AgenticService>()
  const aimed = new Map<AgenticService, ServiceNode>()
  const linkEntries = createLinkEntries(listing.links)
  const named = new Map<string, AgenticService>()
  const pace = createPace(host.clock)
  const { tools, known, states, naming, valueChanged: onValue } = listing
  const context: NodeContext = { ...options, tools, known, states, naming, onValue, mayPublish: pace.mayPublish }

  const join = (place: Place<AgenticService>): void => {
    // Its first maps may arrive before there is a node to take them, so what has emitted is noted by service.
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
    const id = durableThingOf(service)
    if (id !== undefined && named.get(id) === service) named.delete(id)
  }
  const applyLinks = (place: Place<AgenticService>, links: Links): void => {
    const services = toServices(place, links, { ...options, nodes })
    reportTraded(host.report, place, services)
    const change = graph.setLinks(place, services)
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
    if (replaced) linkEntries.renew(node.place)
    if (links !== undefined && options.alone === undefined) applyLinks(node.place, links)
  }
  const update = (): void => {
    pace.begin()
    for (const service of unfinished) emitted.add(service)
    unfinished.clear()
    // A set may grow while it is walked: services that join are taken in as well.
    for (const service of emitted) takeIn(service)
    naming.renewDisplaced()
    if (unfinished.size > 0) options.onEmit()
  }
  join(graph.root)
  return { graph, nodes, aimed, linkEntries, update, unfinished: () => unfinished.size > 0 }
}

/**
 * Reports an author's `id` that two services have at once: they count as one thing, so that consent to one holds for the other.
 *
 * @param named - The service of each id, to which this one's is added.
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
    message: `"${formatPath(path)}" has the id "${service.id}", and so has another service that is linked now: expected the id of one thing, such as a document's key; found one that services share`,
    path,
  })
}

/** How many tools are published in one task at least, and how long that may take before the rest waits for the next. */
const SLICE = { tools: 200, ms: 10 }

/** Lets others have their turn while many tools are published. */
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

function deriveNames(
  graph: Graph<AgenticService>,
  nodes: ReadonlyMap<AgenticService, ServiceNode>,
  toolName: ToolNamer,
): ReadonlyMap<string, KnownTool> {
  const names = new Map<string, KnownTool>()
  const addAliases = (path: Path, tools: ReadonlyMap<string, KnownTool>): void => {
    for (const [key, tool] of tools) {
      const alias = toolName(path, key).name
      if (!names.has(alias)) names.set(alias, tool)
    }
  }
  const known = [...graph.places()].map((place) => [place, nodes.get(place.service)?.knownTools() ?? none] as const)
  for (const [, tools] of known) for (const tool of tools.values()) names.set(tool.entry.name, tool)
  // One whose name belongs to another can be called by the name that its path gives it, which is no other's.
  for (const [{ path }, tools] of known) addAliases(path, tools)
  for (const [{ incoming }, tools] of known)
    for (const { from, key } of incoming) addAliases([...from.path, key], tools)
  return names
}

const none: ReadonlyMap<string, KnownTool> = new Map()

/** The services behind a links map: foreign ones wrapped, what is none, or one too many, left out. */
function toServices(
  place: Place<AgenticService>,
  links: Links,
  options: ServiceTreeOptions & { readonly nodes: ReadonlyMap<AgenticService, unknown> },
): ReadonlyMap<string, AgenticService> {
  const { host, limits, nodes } = options
  const services = new Map<string, AgenticService>()
  const fresh = new Set<AgenticService>()
  const fits = (service: AgenticService): boolean => {
    if (nodes.has(service)) return true
    fresh.add(service)
    return nodes.size + fresh.size <= limits.services
  }
  for (const key of Object.keys(links)) {
    try {
      const service = toAgenticService(links[key]?.service)
      if (fits(service)) services.set(key, service)
      else reportTooMany(options, place, key)
    } catch (cause) {
      reportBroken(host.report, { kind: "link", path: place.path, key, cause })
    }
  }
  return services
}

function reportTooMany(
  { host: { report }, limits }: ServiceTreeOptions,
  { path }: Place<AgenticService>,
  key: string,
): void {
  report({
    code: "service_limit",
    message: `link "${key}" is left out: ${limits.services} services are watched already; raise "limits.services" or link less`,
    path,
    key,
  })
}

function reportTooDeep(report: Report, limits: CatalogueLimits, path: Path): void {
  report({
    code: "depth_limit",
    message: `link "${formatPath(path)}" is left out: it is ${path.length} links deep and "limits.depth" is ${limits.depth}`,
    path: path.slice(0, -1),
    key: path.at(-1) ?? "",
  })
}
