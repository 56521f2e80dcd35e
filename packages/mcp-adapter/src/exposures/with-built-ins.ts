import { compareText } from "@x/base"
import type { Observable } from "rxjs"
import type { ToolDefinition } from "../catalogue/entry.js"
import { createListMap } from "../runtime/list-map.js"
import type { View } from "../views/view.js"
import { type BuiltIn, type Offer, toOffer } from "./built-in.js"
import type { Exposure, ExposureNotice } from "./exposure.js"
import type { ListedTool } from "./item-lists.js"

/** The actions and notices of an exposure, without the built-in tools. */
export interface Face {
  /** Returns the listed actions, sorted by name, for a client; the same array while they are the same. */
  tools(view: View): readonly ListedTool[]
  /** Emits the notices for clients. */
  notices(view: View): Observable<ExposureNotice>
}

/** A list, and its inputs beside the actions. */
interface Put {
  /** The targets to choose from. */
  readonly targets: readonly string[]
  /** The offer, which decides which built-in tools are listed. */
  readonly offer: Offer
  /** The complete list. */
  readonly list: readonly ToolDefinition[]
}

/** The maximum of lists kept for the same actions. */
const MOST_ALIKE = 8

/** Creates an exposure that lists the built-in tools before the actions. */
export function withBuiltIns(builtIns: readonly BuiltIn[], face: Face): Exposure {
  const sorted = [...builtIns].sort((one, other) => compareText(one.definition.name, other.definition.name))
  const byName = new Map(builtIns.map((builtIn) => [builtIn.definition.name, builtIn]))
  // Cached, because clients list far more often than anything changes; by actions, because many views show the same.
  const lists = new WeakMap<readonly ListedTool[], readonly Put[]>()
  const define = createListMap<ListedTool, ToolDefinition>(({ definition }) => definition)
  const ownOf = (offer: Offer): readonly BuiltIn[] => sorted.filter(({ serves }) => serves?.(offer) !== false)
  const toList = (tools: readonly ListedTool[], { targets, offer }: Omit<Put, "list">): readonly ToolDefinition[] => {
    // Built-ins come first: some hosts read only one page, and `run_action` reaches the actions on the others.
    const told = ownOf(offer).map(({ aimed, definition }) =>
      targets.length === 0 ? definition : (aimed?.(targets) ?? definition),
    )
    return told.concat(define(tools))
  }
  return {
    list(view) {
      const tools = face.tools(view)
      const targets = view.targets.keys()
      const offer = toOffer(view)
      const alike = lists.get(tools) ?? []
      const known = alike.find((put) => put.targets === targets && isSameOffer(put.offer, offer))
      if (known !== undefined) return known.list
      const list = toList(tools, { targets, offer })
      lists.set(tools, [{ targets, offer, list }, ...alike].slice(0, MOST_ALIKE))
      return list
    },
    ownNames: builtIns.filter(({ hasName }) => hasName === undefined).map(({ definition }) => definition.name),
    namesForLong: builtIns.filter(({ hasName }) => hasName !== undefined).map(({ definition }) => definition.name),
    own: (view) => ownOf(toOffer(view)).map(({ definition }) => definition),
    resolve(_view, name) {
      const builtIn = byName.get(name)
      return builtIn && builtIn.hasName?.() !== false ? { kind: "built-in", builtIn } : { kind: "action", name }
    },
    notices: face.notices,
  }
}

function isSameOffer(one: Offer, other: Offer): boolean {
  return (
    one.states === other.states && one.links === other.links && one.changes === other.changes && one.long === other.long
  )
}
