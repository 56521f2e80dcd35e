import { compareText } from "@x/base"
import { memoise, type ObjectSchema } from "@x/tool-schemas"
import type { LinkEntry, ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import { formatPath, type Path } from "../names/path.js"
import type { Peek } from "../views/view.js"
import { commonText } from "./common-text.js"

/** The same action of several items of a collection, such as `rename` of a board's columns. */
export interface ItemGroup extends ItemPlace {
  /** Identifies the group among all groups of a view. */
  readonly id: string
  /** The action's key. */
  readonly key: string
  /** Every item that has or declares the action. */
  readonly all: readonly ItemMember[]
  /** Items whose definitions are equal, sorted by item; empty if fewer than two are. One tool stands for them. */
  readonly shared: readonly ItemMember[]
}

/** The place of an item's service: a path in which the keys of items are left out. */
export interface ItemPlace {
  /** The path, with `undefined` for each item's key. */
  readonly pattern: readonly (string | undefined)[]
  /** The path of the outermost collection. */
  readonly collection: Path
}

/** An item's action. */
export interface ItemMember {
  /** The item's key. For a collection within an item, the keys of both as a path. */
  readonly item: string
  /** The action. */
  readonly entry: ToolEntry
  /** Whether it can be called now. */
  readonly available: boolean
  /** The link to the item. */
  readonly link: LinkEntry
}

/**
 * Groups a view's actions by collection and key.
 *
 * @param placeOf - Finds the places of the view's services.
 */
export function groupItems(peek: Peek, placeOf: PlaceOf): readonly ItemGroup[] {
  const available = new Map(peek.tools.map((entry) => [entry.name, entry]))
  const groups = new Map<string, { readonly pattern: Pattern; readonly all: ItemMember[] }>()
  for (const known of peek.known) {
    const place = placeOf(known.path)
    if (place === undefined) continue
    const id = `${place.text}/${known.key}`
    const group = groups.get(id) ?? { pattern: place.pattern, all: [] }
    groups.set(id, group)
    const now = available.get(known.name)
    group.all.push({ item: "", entry: now ?? known, available: now !== undefined, link: place.link })
  }
  return [...groups.values()].flatMap(({ pattern, all }) => toGroups(pattern, all))
}

type Pattern = ItemPlace["pattern"]

/**
 * Returns the groups of actions at the places of a pattern: one, or one for each key of the outer collection if the items that
 * can be grouped are all of one outer item. Applications side by side are such outer items.
 */
function toGroups(pattern: Pattern, members: readonly ItemMember[]): readonly ItemGroup[] {
  const first = pattern.indexOf(undefined)
  const holes = pattern.flatMap((segment, index) => (segment === undefined ? [index] : []))
  const all = members.map((member) => {
    const { path } = member.entry
    const [only = 0] = holes
    return {
      ...member,
      item: holes.length === 1 ? formatKey(path[only] ?? "") : formatPath(holes.map((hole) => path[hole] ?? "")),
    }
  })
  all.sort((one, other) => compareText(one.item, other.item))
  const shared = findShared(all)
  const outerOf = ({ entry }: ItemMember): string => entry.path[first] ?? ""
  if (holes.length > 1 && new Set(shared.map(outerOf)).size < 2) {
    return divide(all, outerOf).flatMap((part) => {
      const [member] = part
      const outer = member && outerOf(member)
      return toGroups(
        pattern.map((segment, index) => (index === first ? outer : segment)),
        part,
      )
    })
  }
  const key = all[0]?.entry.key ?? ""
  const collection = pattern.slice(0, first).map((segment) => segment ?? "")
  return [{ id: `${toText(pattern)}/${key}`, key, pattern, collection, all, shared }]
}

/** The place of one item's service. */
interface Place extends Pick<ItemPlace, "pattern"> {
  /** The pattern as text. */
  readonly text: string
  readonly link: LinkEntry
}

/** Formats one key. Most need no encoding, and a view has thousands. */
function formatKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : formatPath([key])
}

function toText(pattern: Pattern): string {
  return pattern.map((segment) => (segment === undefined ? "*" : formatPath([segment]))).join("/")
}

/** Finds the place of an item's service. Returns `undefined` for services outside collections. */
export type PlaceOf = (path: Path) => Place | undefined

/** Creates the places of a view's services, which stay the same while its links and known actions do. */
export function createPlaces({ links, known, root }: Omit<Peek, "tools">): PlaceOf {
  const byPath = new Map<string, LinkEntry>()
  // A link that is an alias has another path than its service's tools.
  for (const link of links) if (!isAlias(link)) byPath.set(formatPath(link.path), link)
  const places = new Map<string, Place | undefined>()
  const collections = new Map<string, boolean>()
  const withActions = new Set(known.map(({ path }) => pathText(path)))
  const isCollection = (path: Path): boolean => {
    const text = formatPath(path)
    const service = path.length === 0 ? root : byPath.get(text)?.service
    const found = collections.get(text) ?? (service !== undefined && !withActions.has(text) && declaresNothing(service))
    collections.set(text, found)
    return found
  }
  const find = (path: Path): Place | undefined => {
    const holes = path.flatMap((_, index) => (isCollection(path.slice(0, index)) ? [index] : []))
    const last = holes.at(-1)
    if (last === undefined) return undefined
    const link = byPath.get(formatPath(path.slice(0, last + 1)))
    if (link === undefined || !byPath.has(pathText(path))) return undefined
    const pattern = path.map((segment, index) => (holes.includes(index) ? undefined : segment))
    return { pattern, text: toText(pattern), link }
  }
  return (path) => {
    const text = pathText(path)
    if (!places.has(text)) places.set(text, path.length === 0 ? undefined : find(path))
    return places.get(text)
  }
}

/** Formats a path once. The tools of a service share the path object. */
const pathText: (path: Path) => string = memoise(formatPath)

function isAlias({ path, canonical }: LinkEntry): boolean {
  return path.length !== canonical.length || path.some((key, index) => key !== canonical[index])
}

/** Whether a service has only links that come and go, as one of `links` does. */
function declaresNothing({ declared }: LinkEntry["service"]): boolean {
  return [declared.states, declared.actions, declared.links].every((members) => Object.keys(members).length === 0)
}

/**
 * Returns the members whose definitions are equal but for the item: schemas, hints, and whether a person is asked. The largest
 * such set counts, if it has at least two.
 */
function findShared(all: readonly ItemMember[]): readonly ItemMember[] {
  const fitting = all.filter(({ entry }) => canTakeItem(entry.definition.inputSchema))
  const sets = divide(fitting, ({ entry }) => textOfDefinition(entry.definition)).map((same) => {
    const [asking] = largest(
      divide(
        same.filter(({ available }) => available),
        gateOf,
      ),
    )
    // The questions of an unavailable action are unknown; a call puts them in any case.
    const alike = same.filter(
      (member) => !member.available || asking === undefined || gateOf(member) === gateOf(asking),
    )
    const isOneText = commonText(alike.map(({ entry }) => entry.definition.description)) !== undefined
    return isOneText ? alike : largest(divide(alike, ({ entry }) => entry.definition.description))
  })
  const shared = largest(sets)
  return shared.length < 2 ? [] : shared
}

/** Returns everything that a client reads in a definition, except its name, title and description. */
const textOfDefinition = memoise(
  ({ name: _name, title: _title, description: _text, ...rest }: ToolDefinition): string => JSON.stringify(rest),
)

function gateOf({ entry }: ItemMember): string {
  const { confirm, ask } = entry.current() ?? {}
  return `${confirm !== undefined} ${ask !== undefined}`
}

/** Divides members into sets with equal texts, in the order of their first members. */
function divide(members: readonly ItemMember[], textOf: (member: ItemMember) => string): (readonly ItemMember[])[] {
  const sets = new Map<string, ItemMember[]>()
  for (const member of members) {
    const text = textOf(member)
    const set = sets.get(text)
    if (set) set.push(member)
    else sets.set(text, [member])
  }
  return [...sets.values()]
}

function largest(sets: readonly (readonly ItemMember[])[]): readonly ItemMember[] {
  return sets.reduce((best, set) => (set.length > best.length ? set : best), [])
}

/** Whether a parameter can be added to a schema: rules for all properties, or for the whole object, would apply to it. */
const canTakeItem: (schema: ObjectSchema) => boolean = memoise(
  (schema) => !RULES_FOR_ALL.some((keyword) => keyword in schema),
)

const RULES_FOR_ALL = [
  ...["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const"],
  ...["patternProperties", "propertyNames", "minProperties", "maxProperties", "dependentSchemas"],
]
