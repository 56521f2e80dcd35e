import type { Diff } from "../../catalogue/diff.js"
import type { LinkEntry, StateEntry, ToolEntry } from "../../catalogue/entry.js"
import { type StateMode, showsGetState } from "../../exposures/state-mode.js"
import { formatPath, type Path } from "../../names/path.js"
import { toSignature } from "./to-signature.js"

/** One kind of change, and what changed so. */
export interface Section {
  /** Its name in JSON. */
  readonly key: string
  /** Its name in text. */
  readonly label: string
  /** What changed, in the order of the lists. */
  readonly items: readonly Item[]
}

/** Something that changed. */
export type Item = string | ToolItem

/** A tool, with what it takes to call it. A `type` because it is JSON. */
export type ToolItem = {
  /** The name it is called by. */
  readonly name: string
  /** What it takes, in a few words; absent where it takes nothing. */
  readonly arguments?: string
  /** The first words of what it does. */
  readonly description?: string
}

/** How things are named to the client. */
export interface Naming {
  /** How states reach the client. */
  readonly states: StateMode
  /** The service that the client's names begin at. */
  readonly at: Path
}

/** Sorts a diff into what a model should know first. Empty sections are left out. */
export function toSections({ tools, states, links, values }: Diff, naming: Naming): readonly Section[] {
  const named = (entries: readonly StateEntry[]) => entries.map((entry) => toStateName(entry, naming))
  const linked = (entries: readonly LinkEntry[]) => entries.map(({ path }) => formatPath(path))
  const sections: readonly Section[] = [
    { key: "available", label: "can be called now", items: tools.appeared.map(toToolItem) },
    { key: "unavailable", label: "cannot be called now", items: tools.vanished.map(({ name }) => name) },
    {
      key: "redefined",
      label: "can be called as before, with a new definition",
      items: tools.redefined.map(toToolItem),
    },
    { key: "statesChanged", label: "states with a new value", items: named(values) },
    { key: "statesAppeared", label: "new states", items: named(states.appeared) },
    { key: "statesGone", label: "states that are gone", items: named(states.vanished) },
    { key: "statesRedefined", label: "states with a new definition", items: named(states.redefined) },
    { key: "linksAppeared", label: "new links", items: linked(links.appeared) },
    { key: "linksGone", label: "links that are gone", items: linked(links.vanished) },
    { key: "linksRedefined", label: "links with a new definition", items: linked(links.redefined) },
  ]
  return sections.filter(({ items }) => items.length > 0)
}

/** As `get_state` takes it, where that reads states: path and key; else the URI. At a linked service there is no path. */
function toStateName({ path, key, uri }: StateEntry, { states, at }: Naming): string {
  return showsGetState(states) ? formatPath(at.length === 0 ? [...path, key] : [key]) : uri
}

function toToolItem({ name, definition }: ToolEntry): ToolItem {
  const signature = toSignature(definition.inputSchema)
  const description = toFirstWords(definition.description)
  return { name, ...(signature !== undefined && { arguments: signature }), ...(description && { description }) }
}

function toFirstWords(text: string): string {
  const sentence =
    text
      .replace(/\s+/g, " ")
      .trim()
      .split(/(?<=[.!?]) /, 1)[0] ?? ""
  return sentence.length <= longest ? sentence : `${sentence.slice(0, longest - 1)}…`
}

const longest = 120
