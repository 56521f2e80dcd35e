import type { AgenticService } from "@x/agentic-service"
import type { Path } from "../names/path.js"
import type { ToolNamer } from "../names/tool-name.js"
import type { Edge, Place } from "./graph.js"
import type { KnownTool } from "./known-tools.js"

/** A place's callable and declared tools, by action key. The same map until one of them changes. */
export interface PlacedTools {
  /** The place. */
  readonly place: Place<AgenticService>
  /** Its tools. */
  readonly tools: ReadonlyMap<string, KnownTool>
}

/** Names of tools beside the listed ones: names of declared tools, and names from a path or another link. */
interface DerivedNames {
  /** Finds the tool behind a name. Costs a lookup per place and link. Names are recomputed only when tools or paths changed. */
  find(name: string, known: Iterable<PlacedTools>): KnownTool | undefined
}

/** Creates an empty lookup of derived names. */
export function createDerivedNames(toolName: ToolNamer): DerivedNames {
  const own = createTables<Place<AgenticService>>((tool) => [tool.entry.name])
  const byPath = createTables<Place<AgenticService> | Edge<AgenticService>>((_, path, key) => {
    const { name, former = name } = toolName(path, key)
    return [name, former]
  })
  return {
    find(name, known) {
      for (const table of tablesOf([...known])) {
        const tool = table.get(name)
        if (tool !== undefined) return tool
      }
      return undefined
    },
  }

  /** Yields tables in order of precedence: own names, then those from paths, then those from other links. */
  function* tablesOf(known: readonly PlacedTools[]): Iterable<Table> {
    for (const { place, tools } of known) yield own(place, place.path, tools)
    // A tool whose own name was taken is callable by the name from its path, which belongs to no other tool.
    for (const { place, tools } of known) yield byPath(place, place.path, tools)
    for (const { place, tools } of known) for (const edge of place.incoming) yield byPath(edge, edge.from.path, tools)
  }
}

type Table = ReadonlyMap<string, KnownTool>

/** Creates cached tables of names, one per place or link, recomputed when its path or tools are other objects. */
function createTables<At extends Place<AgenticService> | Edge<AgenticService>>(
  namesOf: (tool: KnownTool, path: Path, key: string) => readonly string[],
): (at: At, path: Path, tools: Table) => Table {
  const tables = new WeakMap<At, { readonly path: Path; readonly tools: Table; readonly names: Table }>()
  return (at, path, tools) => {
    const table = tables.get(at)
    if (table?.path === path && table.tools === tools) return table.names
    const full = "key" in at ? [...path, at.key] : path
    const named = [...tools].flatMap(([key, tool]) => namesOf(tool, full, key).map((name) => [name, tool] as const))
    // If two tools share a name, the first keeps it.
    const names = new Map(named.reverse())
    tables.set(at, { path, tools, names })
    return names
  }
}
