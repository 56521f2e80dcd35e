import type { AgenticService } from "@x/agentic-service"
import type { Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Graph } from "./graph.js"
import type { KnownTool } from "./known-tools.js"
import type { ServiceNode } from "./service-node.js"

/** Every name that stands for a tool without being listed: former names, aliases, and what is only declared. */
export interface KnownNames {
  /** Remembers a name that is not listed any more. */
  depart(tool: KnownTool): void
  /** Forgets what was worked out from the graph, because the graph or its tools changed. */
  invalidate(): void
  /** Finds a name. */
  find(name: string): KnownTool | undefined
}

/** Where the names come from. */
export interface KnownNamesOptions {
  /** The services and the links between them. */
  readonly graph: Graph<AgenticService>
  /** The node of a service. */
  readonly nodeOf: (service: AgenticService) => ServiceNode | undefined
  /** Makes the names. */
  readonly toolName: ToolNamer
  /** How many former names are remembered; the oldest go first. */
  readonly limit: number
}

/** Knows nothing but what the graph tells. */
export function createKnownNames(options: KnownNamesOptions): KnownNames {
  const departed = new Map<string, KnownTool>()
  // Only a name that is not listed is looked up here, so this is worked out when that happens, not on every change.
  let derived: ReadonlyMap<string, KnownTool> | undefined
  return {
    depart(tool) {
      // In place where it is known already: deleting and setting a key again and again makes a `Map` slow for that key.
      departed.set(tool.entry.name, tool)
      const [oldest] = departed.keys()
      if (departed.size > options.limit && oldest !== undefined) departed.delete(oldest)
    },
    invalidate() {
      derived = undefined
    },
    find(name) {
      derived ??= derive(options)
      // What the graph says now goes before what a name once meant.
      return derived.get(name) ?? departed.get(name)
    },
  }
}

/** The declared tools under their canonical names, and all tools under the names that other links would give them. */
function derive({ graph, nodeOf, toolName }: KnownNamesOptions): ReadonlyMap<string, KnownTool> {
  const names = new Map<string, KnownTool>()
  const addAliases = (path: Path, tools: ReadonlyMap<string, KnownTool>): void => {
    for (const [key, tool] of tools) {
      const alias = toolName(path, key).name
      if (!names.has(alias)) names.set(alias, tool)
    }
  }
  for (const place of graph.places()) {
    const tools = nodeOf(place.service)?.knownTools()
    if (tools === undefined) continue
    for (const tool of tools.values()) names.set(tool.entry.name, tool)
    for (const { from, key } of place.incoming) addAliases([...from.path, key], tools)
  }
  return names
}
