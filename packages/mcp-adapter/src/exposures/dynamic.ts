import type { ToolDefinition } from "../catalogue/entry.js"
import type { Snapshot } from "../catalogue/snapshot.js"
import type { BuiltIn } from "./built-ins/built-in.js"
import { createGetState } from "./built-ins/get-state.js"
import { createListLinks, type LinkUrl } from "./built-ins/list-links.js"
import { runAction } from "./built-ins/run-action.js"
import type { Exposure } from "./exposure.js"
import { type StateMode, showsGetState } from "./state-mode.js"

/** Which tools of our own stand beside the actions. */
export interface DynamicOptions {
  /** How states reach the client; decides whether there is `get_state`. Default `both`. */
  readonly states?: StateMode
  /** Whether there is `run_action`, which lets a client that never re-lists call what it learns later. Default `true`. */
  readonly runAction?: boolean
  /** Whether there is `list_links`. Default `true`. */
  readonly links?: boolean
  /**
   * Where each service is an endpoint of its own, as a URL path. Given, `list_links` tells it, and `get_state` reads one
   * service only. Default: what is linked is shown here.
   */
  readonly linkUrl?: LinkUrl | undefined
  /** The most characters `get_state` and `list_links` answer. Default 100,000. */
  readonly sizeLimit?: number
}

/** Shows what can be called now, and a few constant tools of our own. */
export function createDynamicExposure(options: DynamicOptions = {}): Exposure {
  const builtIns = new Map(toBuiltIns(options).map((builtIn) => [builtIn.definition.name, builtIn]))
  const own = [...builtIns.values()].map((builtIn) => builtIn.definition)
  // Clients list far more often than something changes.
  const lists = new WeakMap<Snapshot, readonly ToolDefinition[]>()
  return {
    list(view) {
      const snapshot = view.snapshot()
      const list = lists.get(snapshot) ?? toSorted([...snapshot.tools.map((tool) => tool.definition), ...own])
      lists.set(snapshot, list)
      return list
    },
    resolve(_view, name) {
      const builtIn = builtIns.get(name)
      return builtIn ? { kind: "built-in", builtIn } : { kind: "action", name }
    },
    notices: (view) => view.notices,
  }
}

function toBuiltIns(options: DynamicOptions): readonly BuiltIn[] {
  const { states = "both", runAction: runs = true, links = true, linkUrl, sizeLimit = 100_000 } = options
  return [
    ...(showsGetState(states) ? [createGetState(sizeLimit, linkUrl ? "one" : "any")] : []),
    ...(links ? [createListLinks(sizeLimit, linkUrl)] : []),
    ...(runs ? [runAction] : []),
  ]
}

function toSorted(definitions: ToolDefinition[]): readonly ToolDefinition[] {
  return definitions.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}
