import { type AgenticService, type Links, toAgenticService } from "@x/agentic-service"
import type { PublishInput } from "@x/tool-schemas"
import { formatPath, type Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import type { Ledger } from "../runtime/ledger.js"
import type { CatalogueLimits } from "./catalogue-limits.js"
import type { StateEntry } from "./entry.js"
import { createGraph, type Place } from "./graph.js"
import { createKnownNames, type KnownNames } from "./known-names.js"
import { createLinkEntries } from "./link-entries.js"
import type { Listing } from "./listing.js"
import type { NodeContext } from "./node-context.js"
import { reportBroken } from "./report-broken.js"
import { createServiceNode, type ServiceNode } from "./service-node.js"

/** The services of a graph, each watched once, followed wherever their links lead. */
export interface ServiceTree {
  /** Takes in everything that was emitted, the first maps of services it leads to included. */
  update(): void
  /** The maps that have not spoken yet. */
  silent(): Iterable<{ readonly path: Path; readonly map: string }>
  /** The visible states of the service that a path leads to. */
  statesAt(path: Path): readonly StateEntry[] | undefined
  /** Publishes the root again as what stands at `path`. Only for a tree that is {@link ServiceTreeOptions.alone}. */
  moveTo(path: Path): void
  /** The names that are known beside the listed ones. */
  readonly known: KnownNames
  /** Lets go of every service. */
  close(): void
}

/** What a tree needs. */
export interface ServiceTreeOptions {
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
  /** Counts what is held. */
  readonly ledger: Ledger
  /** Told what is left out and why. */
  readonly report: Report
  /** How much is taken in. */
  readonly limits: CatalogueLimits
  /** Where the entries go. */
  readonly listing: Listing
  /** Called for every emission of every service. Must not throw. */
  readonly onEmit: () => void
  /** How many former names are remembered. */
  readonly memory: number
}

/** Subscribes to the root; what it leads to follows with the first {@link ServiceTree.update}. */
export function createServiceTree(options: ServiceTreeOptions): ServiceTree {
  const { limits, listing, report, toolName } = options
  const graph = createGraph(options.service, limits.depth, options.alone)
  const nodes = new Map<AgenticService, ServiceNode>()
  const emitted = new Set<AgenticService>()
  const known = createKnownNames({ graph, nodeOf: (service) => nodes.get(service), toolName, limit: options.memory })
  const linkEntries = createLinkEntries(listing.links)
  const context: NodeContext = {
    ...options,
    tools: listing.tools,
    known: listing.known,
    states: listing.states,
    onDepart: known.depart,
    onValue: listing.valueChanged,
  }

  const join = (place: Place<AgenticService>): void => {
    // Its first maps may arrive before there is a node to take them, so what has emitted is noted by service.
    const node = createServiceNode(place, context, () => {
      emitted.add(place.service)
      options.onEmit()
    })
    nodes.set(place.service, node)
  }
  const applyLinks = (place: Place<AgenticService>, links: Links): void => {
    const change = graph.setLinks(place, toServices(place, links, { ...options, nodes }))
    for (const left of change.left) {
      nodes.get(left.service)?.close()
      nodes.delete(left.service)
      emitted.delete(left.service)
      linkEntries.remove(left)
    }
    for (const moved of change.moved) nodes.get(moved.service)?.move()
    linkEntries.refresh(place, links, change)
    for (const joined of change.joined) join(joined)
    for (const path of change.tooDeep) reportTooDeep(report, limits, path)
  }
  join(graph.root)

  return {
    known,
    update() {
      // A set may grow while it is walked: services that join are taken in as well.
      for (const service of emitted) {
        emitted.delete(service)
        const node = nodes.get(service)
        const links = node?.update()
        if (node !== undefined && links !== undefined && options.alone === undefined) applyLinks(node.place, links)
      }
    },
    *silent() {
      for (const node of nodes.values()) for (const map of node.silent()) yield { path: node.place.path, map }
    },
    statesAt(path) {
      const place = graph.at(path)
      return place && nodes.get(place.service)?.states()
    },
    moveTo(path) {
      graph.moveRoot(path)
      nodes.get(graph.root.service)?.move()
    },
    close() {
      for (const node of nodes.values()) node.close()
      nodes.clear()
      emitted.clear()
    },
  }
}

/** The services behind a links map: foreign ones wrapped, what is none, or one too many, left out. */
function toServices(
  place: Place<AgenticService>,
  links: Links,
  options: ServiceTreeOptions & { readonly nodes: ReadonlyMap<AgenticService, unknown> },
): ReadonlyMap<string, AgenticService> {
  const { report, limits, nodes } = options
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
      reportBroken(report, { kind: "link", path: place.path, key, cause })
    }
  }
  return services
}

function reportTooMany({ report, limits }: ServiceTreeOptions, { path }: Place<AgenticService>, key: string): void {
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
