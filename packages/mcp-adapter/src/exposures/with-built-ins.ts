import type { Observable } from "rxjs"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import type { View } from "../catalogue/view.js"
import type { BuiltIn } from "./built-ins/built-in.js"
import type { Exposure, ExposureNotice } from "./exposure.js"

/** What an exposure shows beside the tools of our own. */
export interface Face {
  /** The actions that are listed, sorted by name; the same array as long as they are the same. */
  tools(view: View): readonly ToolEntry[]
  /** What clients are to be told. */
  notices(view: View): Observable<ExposureNotice>
}

/** Puts the tools of our own among the actions. */
export function withBuiltIns(builtIns: readonly BuiltIn[], face: Face): Exposure {
  const byName = new Map(builtIns.map((builtIn) => [builtIn.definition.name, builtIn]))
  const own = builtIns.map((builtIn) => builtIn.definition)
  // Clients list far more often than something changes.
  const lists = new WeakMap<readonly ToolEntry[], readonly ToolDefinition[]>()
  return {
    list(view) {
      const tools = face.tools(view)
      const list = lists.get(tools) ?? toSorted([...tools.map((tool) => tool.definition), ...own])
      lists.set(tools, list)
      return list
    },
    resolve(_view, name) {
      const builtIn = byName.get(name)
      return builtIn ? { kind: "built-in", builtIn } : { kind: "action", name }
    },
    notices: face.notices,
  }
}

function toSorted(definitions: ToolDefinition[]): readonly ToolDefinition[] {
  return definitions.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}
