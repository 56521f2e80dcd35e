import { defined, type Keywords } from "../keywords/keywords.js"
import { isSource } from "../schema-source.js"
import { fits } from "./fits.js"
import { type Restore, type Shape, sequence } from "./shape.js"
import type { Site } from "./site.js"
import { describe, toWords } from "./words.js"

/** Shapes the parts of `anyOf`, `oneOf`, `allOf`, `not` and conditions; what may not be loosened goes into words where it would be. */
export function shapeCombinators(schema: Keywords, site: Site): Shape {
  const parts = { any: list(schema, "anyOf", site), one: list(schema, "oneOf", site), all: list(schema, "allOf", site) }
  const oneIsExact = parts.one.every(isSame)
  const { oneOf, ...rest } = withoutLoosened(schema, site)
  const only = oneIsExact && site.profile.keywords.has("oneOf") ? "oneOf" : "anyOf"
  if (only === "anyOf" && oneOf !== undefined) site.note("described", "oneOf")
  return {
    schema: withChoices({ ...rest, ...(parts.all.length > 0 && { allOf: parts.all.map(toSchema) }) }, parts, only),
    restore: sequence([choose(parts.any), choose(parts.one), sequence(parts.all.map(({ restore }) => restore))]),
    exact:
      oneIsExact && only === "oneOf" && [...parts.any, ...parts.all].every(({ exact }) => exact) && same(schema, rest),
  }
}

const toSchema = ({ schema }: Shape): Keywords => schema
const isSame = ({ exact, restore }: Shape): boolean => exact && restore === undefined

function same(schema: Keywords, rest: Keywords): boolean {
  return ["not", ...CONDITION].every((keyword) => (schema[keyword] === undefined) === (rest[keyword] === undefined))
}

function list(schema: Keywords, keyword: string, site: Site): readonly Shape[] {
  const given = schema[keyword]
  if (!Array.isArray(given)) return []
  return given.map((part: unknown, index) => site.shape(isSource(part) ? part : {}, [keyword, String(index)]))
}

/** Two choices side by side can both be made of alternatives. */
function withChoices(
  schema: Keywords,
  { any, one }: { readonly any: readonly Shape[]; readonly one: readonly Shape[] },
  only: "oneOf" | "anyOf",
): Keywords {
  const choices = any.length > 0 ? { ...schema, anyOf: any.map(toSchema) } : schema
  if (one.length === 0) return choices
  const alternatives = { [only]: one.map(toSchema) }
  if (only === "oneOf" || any.length === 0) return { ...choices, ...alternatives }
  return { ...choices, allOf: [alternatives, ...[choices["allOf"] ?? []].flat()] }
}

/** Restores by the alternative that the value looks like. */
function choose(shapes: readonly Shape[]): Restore | undefined {
  if (shapes.every(({ restore }) => restore === undefined)) return undefined
  return (value) => {
    const chosen = shapes.find(({ schema }) => fits(schema, value))
    return chosen?.restore ? chosen.restore(value) : value
  }
}

const CONDITION = ["if", "then", "else"]

/** A looser `not`, or a looser condition, would refuse what the author takes. */
function withoutLoosened(schema: Keywords, site: Site): Keywords {
  const { not, if: when, then, else: otherwise, ...rest } = schema
  const shapes = new Map(
    Object.entries({ not, if: when, then, else: otherwise }).flatMap(([keyword, part]) =>
      isSource(part) ? [[keyword, site.shape(part, [keyword])] as const] : [],
    ),
  )
  const keeps = (keyword: string): boolean => {
    const shape = shapes.get(keyword)
    return shape === undefined || isSame(shape)
  }
  const said = (keywords: readonly string[]): Keywords =>
    Object.fromEntries(keywords.map((keyword) => [keyword, shapes.get(keyword)?.schema]))
  const keepsCondition = CONDITION.every(keeps)
  const lost = [...(keeps("not") ? [] : ["not"]), ...(keepsCondition ? [] : CONDITION)]
  for (const keyword of lost) site.note("described", keyword)
  const kept = {
    ...rest,
    ...(keeps("not") && said(["not"])),
    ...(keepsCondition && said(CONDITION)),
  }
  return describe(
    defined(kept),
    lost.map((keyword) => (schema[keyword] === undefined ? undefined : toWords(keyword, schema[keyword]))),
  )
}
