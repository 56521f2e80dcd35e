import { compareText } from "@x/base"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import { formatPath, type Path } from "../names/path.js"
import { foldHyphens } from "../names/tool-name.js"
import type { Peek, View } from "../views/view.js"
import { createPlaces, groupItems, type ItemGroup, type ItemPlace, type PlaceOf } from "./item-groups.js"
import { toItemTool, toParameterName } from "./item-tool.js"

/** A tool that stands for one action of several items. */
export interface ItemTool extends ItemGroup {
  /** The tool's name. */
  readonly name: string
  /** The name of the item's parameter. */
  readonly parameter: string
  /** The definition; `undefined` if fewer than two items share one, so that each is listed by itself. */
  readonly definition: ToolDefinition | undefined
  /** Whether it is listed: at least one item's action can be called. */
  readonly listed: boolean
}

/** A listed tool: an action of its own, or one that stands for several items. */
export type ListedTool = { readonly definition: ToolDefinition }

/** The lists of one view, as clients of `grouped` see them. */
export interface ItemLists {
  /** Returns the listed tools without the built-in ones, sorted by name. The same array until they change. */
  tools(): readonly ListedTool[]
  /** Returns the tools of several items, listed or not. */
  items(): readonly ItemTool[]
  /** Finds the tool of several items by its name, listed or formerly listed. */
  find(name: string): ItemTool | undefined
  /** Finds the tool that stands for an action, and the action's item. */
  of(entry: ToolEntry): ItemOf | undefined
  /** Returns the number of tools that would be listed if every known action could be called. */
  count(): number
}

/** An action as a tool of several items. */
export interface ItemOf {
  readonly tool: ItemTool
  readonly item: string
}

/** Options of the lists. */
export interface ItemListOptions {
  /** Names that no tool of items may have. */
  readonly reserved: readonly string[]
  /** Whether `list_links` exists. */
  readonly links: boolean
}

/** The numbers of items from which a tool stops listing its items, and at which it lists them again. */
const ITEMS = { tooMany: 21, fewAgain: 10 }

/** The most remembered tools of items, listed or not. */
const MEMORY = 2_000

/** Properties of a tool that later lists keep. */
interface Kept {
  readonly parameter: string
  readonly lists: boolean
  readonly definition: ToolDefinition | undefined
}

/** The newest lists and their source. */
interface Made {
  readonly peek: Peek
  readonly items: readonly ItemTool[]
  readonly tools: readonly ListedTool[]
}

/** Creates the lists of a view. They are computed when read after a change. */
export function createItemLists(view: Pick<View, "peek" | "nameOf">, options: ItemListOptions): ItemLists {
  const registry = createRegistry()
  const toTool = createToTool(options)
  const placesOf = createPlacesOf(options)
  let last: Made | undefined

  const rebuild = (peek: Peek): Pick<Made, "items" | "tools"> => {
    const { placeOf, taken } = placesOf(peek)
    const toName = createNames(taken, view)
    const items = groupItems(peek, placeOf).map((group) => toTool(group, toName(group)))
    registry.renew(items)
    const alone = peek.tools.filter((entry) => registry.of(entry) === undefined)
    const listed = items.flatMap(({ name, definition, listed }) => (listed && definition ? [{ name, definition }] : []))
    if (listed.length === 0) return { items, tools: alone }
    return { items, tools: [...alone, ...listed].sort((one, other) => compareText(one.name, other.name)) }
  }
  const update = (): Made => {
    const peek = view.peek()
    if (last !== undefined && isSamePeek(last.peek, peek)) return last
    const before = last?.tools
    const { items, tools } = rebuild(peek)
    const made = { peek, items, tools: before !== undefined && isSameTools(before, tools) ? before : tools }
    last = made
    return made
  }
  return {
    tools: () => update().tools,
    items: () => update().items,
    count() {
      const { known } = update().peek
      const tools = known.map((entry) => registry.of(entry)?.tool ?? entry)
      return new Set<object>(tools).size
    },
    find(name) {
      update()
      return registry.find(name)
    },
    of(entry) {
      update()
      return registry.of(entry) ?? registry.formerly(entry)
    },
  }
}

/** The tools of several items, by their names and actions. */
interface Registry extends Pick<ItemLists, "find"> {
  /** Replaces the tools. Names of former ones can still be called. */
  renew(tools: readonly ItemTool[]): void
  /** Finds the tool that stands for an action. */
  of(entry: ToolEntry): ItemOf | undefined
  /** Finds the tool that stood for an action whose item is gone. */
  formerly(entry: ToolEntry): ItemOf | undefined
}

function createRegistry(): Registry {
  const byName = new Map<string, ItemTool>()
  const byKey = new Map<string, readonly ItemTool[]>()
  const byPlace = new Map<string, ItemOf>()
  return {
    renew(tools) {
      byPlace.clear()
      byKey.clear()
      for (const [name, tool] of byName) byName.set(name, withoutItems(tool))
      for (const tool of tools) {
        keep(byName, tool.name, tool)
        byKey.set(tool.key, [...(byKey.get(tool.key) ?? []), tool])
        for (const { item, entry } of tool.shared) byPlace.set(entry.name, { tool, item })
      }
    },
    find: (name) => byName.get(name),
    of: ({ name }) => byPlace.get(name),
    formerly({ key, path }) {
      const tool = byKey.get(key)?.find((each) => each.definition !== undefined && isAt(each, path))
      return tool && { tool, item: itemAt(tool, path) }
    },
  }
}

/** Creates the tools of groups. */
function createToTool({ links }: ItemListOptions): (group: ItemGroup, named: Named) => ItemTool {
  const kept = new Map<string, Kept>()
  return (group, named) => {
    const before = kept.get(group.id)
    const count = group.shared.length
    const parameter = toParameterName(group.all, before?.parameter)
    const lists = before?.lists === false ? count <= ITEMS.fewAgain : count < ITEMS.tooMany
    const made = toItemTool(group, { ...named, parameter, lists, links })
    // An equal definition stays the same object, so that a list's bytes can be kept.
    const definition = isSame(before?.definition, made) ? before?.definition : made
    keep(kept, group.id, { parameter, lists, definition })
    const isAvailable = group.shared.some(({ available }) => available)
    return { ...group, name: named.name, parameter, definition, listed: definition !== undefined && isAvailable }
  }
}

/** Releases the services of a tool that may not be listed any more. Its name can still be called. */
function withoutItems(tool: ItemTool): ItemTool {
  return { ...tool, all: [], shared: [], definition: undefined, listed: false }
}

/** Whether a path matches a pattern. */
function isAt({ pattern }: ItemPlace, path: Path): boolean {
  return path.length === pattern.length && pattern.every((segment, index) => (segment ?? path[index]) === path[index])
}

/** Returns the item to which a path leads. */
function itemAt({ pattern }: ItemPlace, path: Path): string {
  return formatPath(path.filter((_, index) => pattern[index] === undefined))
}

/** Keeps a value as the newest. */
function keep<Value>(all: Map<string, Value>, key: string, value: Value): void {
  all.delete(key)
  all.set(key, value)
  const [oldest] = all.keys()
  if (all.size > MEMORY && oldest !== undefined) all.delete(oldest)
}

/** A tool's name, with a title for encoded names. */
interface Named {
  readonly name: string
  readonly title?: string | undefined
}

/** The parts of a list that stay the same while actions come and go. */
interface Places {
  readonly placeOf: PlaceOf
  /** The names of known actions and built-in tools, as clients see them that fold hyphens. */
  readonly taken: ReadonlySet<string>
}

function createPlacesOf({ reserved }: ItemListOptions): (peek: Peek) => Places {
  let last: { readonly peek: Peek; readonly places: Places } | undefined
  return (peek) => {
    if (last !== undefined && isSamePeek({ ...last.peek, tools: peek.tools }, peek)) return last.places
    const taken = new Set([...reserved, ...peek.known.map(({ name }) => name)].map(foldHyphens))
    last = { peek, places: { placeOf: createPlaces(peek), taken } }
    return last.places
  }
}

/** Creates a function that names tools of items. A name that an action has, or one like it, gets a hash. */
function createNames(taken: ReadonlySet<string>, { nameOf }: Pick<View, "nameOf">): (group: ItemGroup) => Named {
  const given = new Set<string>()
  return ({ pattern, key }) => {
    const path = pattern.filter((segment) => segment !== undefined)
    const plain = nameOf(path, key)
    const folded = foldHyphens(plain.name)
    const whole = pattern.map((segment) => segment ?? "*")
    const { name, encoded } = taken.has(folded) || given.has(folded) ? nameOf(whole, key, true) : plain
    given.add(foldHyphens(name))
    return { name, title: encoded ? [...path, key].join(" / ") : undefined }
  }
}

/** Whether two lists have equal definitions. */
export function isSameTools(one: readonly ListedTool[], other: readonly ListedTool[]): boolean {
  const isEqual = ({ definition }: ListedTool, index: number): boolean =>
    definition === other[index]?.definition || isSame(definition, other[index]?.definition)
  return one === other || (one.length === other.length && one.every(isEqual))
}

function isSame(one: ToolDefinition | undefined, other: ToolDefinition | undefined): boolean {
  return one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other)
}

function isSamePeek(one: Peek, other: Peek): boolean {
  return (
    one.root === other.root &&
    isSameList(one.tools, other.tools) &&
    isSameList(one.known, other.known) &&
    isSameList(one.links, other.links)
  )
}

function isSameList(one: readonly object[], other: readonly object[]): boolean {
  return one === other || (one.length === other.length && one.every((each, index) => each === other[index]))
}
