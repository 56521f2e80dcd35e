import equal from "fast-deep-equal"
import { defined, type Keywords } from "../keywords/keywords.js"
import { isSource } from "../schema-source.js"
import type { Restore, Shape } from "./shape.js"
import type { Site } from "./site.js"
import { describe, toWords } from "./words.js"

/** Shapes what a schema says of the items of a list. */
export function shapeArray(schema: Keywords, site: Site): Shape {
  const { profile } = site
  const { prefixItems } = schema
  if (Array.isArray(prefixItems) && !profile.tuples) return shapeTuple(schema, prefixItems, site)
  const items = shapeItems(schema, site)
  const first = Array.isArray(prefixItems)
    ? prefixItems.filter(isSource).map((item, index) => site.shape(item, ["prefixItems", String(index)], 1))
    : []
  const contains = isSource(schema["contains"]) ? site.shape(schema["contains"], ["contains"], 1) : undefined
  const restored = [items, ...first].some((shape) => shape?.restore !== undefined)
  return {
    schema: defined({
      ...schema,
      ...(first.length > 0 && { prefixItems: first.map((shape) => shape.schema) }),
      ...(items && { items: items.schema }),
      ...(contains && { contains: contains.exact ? contains.schema : undefined }),
      ...(contains?.exact === false && { minContains: undefined, maxContains: undefined }),
    }),
    restore: restored ? toRestore(first, items) : undefined,
    exact: [items, contains, ...first].every((shape) => shape === undefined || shape.exact),
  }
}

/** What stands at all places, where a profile has no way to tell the places apart. */
function shapeTuple(schema: Keywords, prefix: readonly unknown[], site: Site): Shape {
  site.note("described", "prefixItems")
  const { prefixItems: _, items, ...rest } = schema
  const others = items === undefined || items === true ? [{}] : [items]
  const all = [...prefix, ...others].filter(isSource)
  const distinct = all.filter((item, index) => all.findIndex((other) => equal(other, item)) === index)
  const ends = items === false && rest["maxItems"] === undefined ? { maxItems: prefix.length } : {}
  const open = distinct.length === 0 || distinct.some((item) => Object.keys(item).length === 0)
  const [only] = distinct
  const either = distinct.length === 1 ? only : { anyOf: distinct }
  const said = { ...rest, ...ends, items: open ? {} : either }
  const shaped = shapeArray(said, site)
  return { ...shaped, schema: describe(shaped.schema, [toWords("prefixItems", prefix)]), exact: false }
}

function shapeItems(schema: Keywords, site: Site): Shape | undefined {
  const { items, type } = schema
  if (isSource(items)) return site.shape(items, ["items"], 1)
  const isList = [type].flat().includes("array")
  if (!isList || site.profile.tuples || items !== undefined || site.careful) return undefined
  return site.shape({}, ["items"], 1)
}

function toRestore(first: readonly Shape[], items: Shape | undefined): Restore {
  return (value) => {
    if (!Array.isArray(value)) return value
    return value.map((item, index) => {
      const shape = index < first.length ? first[index] : items
      return shape?.restore ? shape.restore(item) : item
    })
  }
}
