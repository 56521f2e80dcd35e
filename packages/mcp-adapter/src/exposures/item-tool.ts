import { cutText, isRecord } from "@x/base"
import type { ObjectSchema } from "@x/tool-schemas"
import type { ToolDefinition } from "../catalogue/entry.js"
import { formatPath } from "../names/path.js"
import { commonText } from "./common-text.js"
import type { ItemGroup, ItemMember } from "./item-groups.js"

/** Options of the definition of an item tool. */
interface ItemToolOptions {
  /** The tool's name, and its title if the name is encoded. */
  readonly name: string
  readonly title?: string | undefined
  /** The name of the item's parameter. */
  readonly parameter: string
  /** Whether the parameter lists the items. Otherwise its description tells where to find them. */
  readonly lists: boolean
  /** Whether `list_links` exists. */
  readonly links: boolean
}

/** Creates the definition of the tool that stands for a group's shared action, with the item as a parameter. */
export function toItemTool({ shared, ...group }: ItemGroup, options: ItemToolOptions): ToolDefinition | undefined {
  const { name, title, parameter } = options
  const [first] = shared
  if (first === undefined) return undefined
  const definitions = shared.map(({ entry }) => entry.definition)
  const { title: said, inputSchema, ...rest } = first.entry.definition
  const isOneTitle = title === undefined && definitions.every((each) => each.title === said)
  const shown = isOneTitle ? said : title
  const description = commonText(definitions.map((each) => each.description)) ?? rest.description
  return Object.freeze<ToolDefinition>({
    ...rest,
    name,
    ...(shown !== undefined && { title: shown }),
    description,
    inputSchema: withItem(inputSchema, parameter, toParameter({ shared, ...group }, options, description)),
  })
}

function toParameter({ shared, collection }: ItemGroup, { lists, links }: ItemToolOptions, said: string): object {
  const kind = toKind(shared)
  if (!lists) {
    const place = collection.length === 0 ? "" : ` below "${formatPath(collection)}"`
    return { type: "string", description: `The ${kind}: a path${place}${links ? " from list_links" : ""}` }
  }
  const items = { type: "string", enum: shared.map(({ item }) => item) }
  const titles = toTitles(shared)
  if (titles !== undefined) return { ...items, description: `The ${kind}: ${titles}` }
  // The tool's own words may say enough about the items.
  return said.toLowerCase().split(/\W+/).includes(kind.toLowerCase()) ? items : { ...items, description: `The ${kind}` }
}

/** Returns the name that all items' services have, or `item`. */
function toKind([first, ...others]: readonly ItemMember[]): string {
  const name = first?.link.service.name
  if (name === undefined || name === "" || name.length > LONGEST_KIND) return "item"
  return others.every(({ link }) => link.service.name === name) ? name : "item"
}

const LONGEST_KIND = 40

/** Returns what each item is, where its description tells it apart from the others and says more than its key. */
function toTitles(shared: readonly ItemMember[]): string | undefined {
  if (shared.length > MOST_TITLES) return undefined
  const titles = shared.map(({ item, link }) => ({ item, title: cutText(link.description ?? "", LONGEST_TITLE) }))
  const isTold = titles.every(({ title }) => title !== "" && !title.includes("\n"))
  if (!isTold || new Set(titles.map(({ title }) => title)).size < titles.length) return undefined
  if (titles.every(({ item, title }) => toLetters(item) === toLetters(title))) return undefined
  return titles.map(({ item, title }) => `${item} is ${title}`).join("; ")
}

const MOST_TITLES = 10
const LONGEST_TITLE = 60

function toLetters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")
}

/** Adds the item's parameter before the others. */
function withItem(schema: ObjectSchema, parameter: string, item: object): ObjectSchema {
  const { properties, required } = schema
  return {
    ...schema,
    properties: { [parameter]: item, ...(isRecord(properties) ? properties : {}) },
    required: [parameter, ...(Array.isArray(required) ? required : [])],
  }
}

/** Returns the name of the item's parameter: `item`, or another one if an action has that. */
export function toParameterName(all: readonly ItemMember[], before: string | undefined): string {
  const isFree = (name: string): boolean =>
    all.every(({ entry }) => !Object.hasOwn(Object(entry.definition.inputSchema["properties"]), name))
  if (before !== undefined && isFree(before)) return before
  let name = "item"
  for (let number = 0; !isFree(name); number += 1) name = number === 0 ? "item_key" : `item_key_${number}`
  return name
}
