import { findByPointer, formatPointer, isRecord, type JsonValue, sameValue } from "@x/base"
import type { Keywords } from "@x/tool-schemas/normalise"

/**
 * Explains why no JSON value fits a schema: contradicting bounds, a required property that is forbidden, an unknown type.
 * Returns nothing when in doubt.
 *
 * @returns The reason, with its place in a value, or `undefined` when some value may fit.
 */
export function neverFits(schema: unknown): string | undefined {
  const never = look([schema], { root: schema, open: [], path: [], left: { steps: MOST_STEPS } })
  if (never === undefined) return undefined
  return never.path.length === 0 ? never.why : `at "${formatPointer(never.path)}", ${never.why}`
}

/** Does the same for an action's input: a schema with properties but no type describes an object there. */
export function neverFitsInput(schema: unknown): string | undefined {
  const isUntyped = isRecord(schema) && schema["type"] === undefined && schema["properties"] !== undefined
  return neverFits(isUntyped ? { ...schema, type: "object" } : schema)
}

/** The reason why no value fits at a place. */
interface Never {
  readonly path: readonly (string | number)[]
  readonly why: string
}

/** The place of an inspected schema. */
interface Place {
  readonly root: unknown
  /** Schemas of the enclosing values. */
  readonly open: readonly (readonly unknown[])[]
  readonly path: Never["path"]
  readonly left: { steps: number }
}

/** Limits of the inspection. Beyond them, a schema counts as satisfiable. */
const MOST_STEPS = 5_000
const MOST_DEPTH = 50

/**
 * Inspects schemas that must all hold.
 *
 * @param chosen - Schemas whose alternatives were already chosen.
 */
function look(schemas: readonly unknown[], place: Place, chosen: readonly unknown[] = []): Never | undefined {
  const { open, path, left } = place
  left.steps -= 1
  if (left.steps < 0 || open.length > MOST_DEPTH) return undefined
  const all: Keywords[] = []
  for (const schema of schemas) {
    const why = gather(schema, place, all)
    if (why !== undefined) return { path, why }
  }
  const isEndless = open.some((outer) => outer.length > 0 && outer.every((schema) => all.some((one) => one === schema)))
  if (isEndless) return { path, why: "a value would have to contain itself endlessly" }
  return ofKinds(all, { ...place, open: [...open, all] }) ?? ofChoices(all, place, chosen)
}

/** Collects a schema, including everything it refers to and combines. Returns a reason when nothing is allowed. */
function gather(schema: unknown, place: Place, all: Keywords[]): string | undefined {
  if (schema === false) return "nothing is allowed"
  if (!isRecord(schema) || all.includes(schema)) return undefined
  all.push(schema)
  if (allowsNothing(schema["not"])) {
    const { description } = schema
    return typeof description === "string" ? `nothing is allowed ("${description}")` : "nothing is allowed"
  }
  for (const part of partsOf(schema, place.root)) {
    const why = gather(part, place, all)
    if (why !== undefined) return why
  }
  return undefined
}

/** Checks whether a `not` excludes everything. */
function allowsNothing(not: unknown): boolean {
  return not === true || (isRecord(not) && Object.keys(not).length === 0)
}

/** Returns schemas that must hold beside a schema's own keywords. */
function partsOf({ $ref, allOf }: Keywords, root: unknown): readonly unknown[] {
  return [typeof $ref === "string" ? resolve(root, $ref) : undefined, ...(Array.isArray(allOf) ? allOf : [])]
}

/** Follows a reference within the schema; other references may lead anywhere. */
function resolve(root: unknown, ref: string): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined
  // A schema is JSON; other values stay uninspected.
  return findByPointer(root as JsonValue, decode(ref.slice(1)))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Requires one alternative of each list beside everything else. */
function ofChoices(all: readonly Keywords[], place: Place, chosen: readonly unknown[]): Never | undefined {
  const lists = all
    .filter((schema) => !chosen.includes(schema))
    .flatMap(({ anyOf, oneOf }) => [
      { choices: anyOf, isPossible: (possible: readonly unknown[]) => possible.length > 0 },
      { choices: oneOf, isPossible: (possible: readonly unknown[]) => possible.some((one) => isAlone(one, possible)) },
    ])
  for (const { choices, isPossible } of lists) {
    if (!Array.isArray(choices)) continue
    const nevers = choices.map((choice) => look([...all, choice], place, all))
    if (isPossible(choices.filter((_, index) => nevers[index] === undefined))) continue
    return (
      nevers.find((never) => never !== undefined) ?? { path: place.path, why: "none of its alternatives can fit alone" }
    )
  }
  return undefined
}

/** Checks that an alternative of `oneOf` has no duplicate, because exactly one may hold. */
function isAlone(one: unknown, choices: readonly unknown[]): boolean {
  return choices.filter((other) => sameValue(one, other)).length === 1
}

const KINDS = ["null", "boolean", "number", "string", "array", "object"] as const

/** Requires at least one possible type of value. */
function ofKinds(all: readonly Keywords[], place: Place): Never | undefined {
  const values = valuesOf(all)
  if (values?.length === 0) return { path: place.path, why: "its lists of allowed values have no value in common" }
  const types = all.map(({ type }) => type).filter((type) => type !== undefined)
  const kinds = KINDS.filter((kind) => types.every((type) => allowsKind(type, kind)))
  if (kinds.length === 0) return { path: place.path, why: `no value is of type ${JSON.stringify(types.flat())}` }
  let never: Never | undefined
  for (const kind of kinds) {
    if (values !== undefined && !values.some((value) => kindOf(value) === kind)) continue
    const found = BOUNDS[kind]?.(all, place)
    if (found === undefined) return undefined
    never ??= typeof found === "string" ? { path: place.path, why: found } : found
  }
  return never ?? { path: place.path, why: "none of its allowed values has an allowed type" }
}

/** Returns the values that all lists of values share, or `undefined` without a list. */
function valuesOf(all: readonly Keywords[]): readonly unknown[] | undefined {
  const lists = all.flatMap(({ enum: values, const: constant }) => [
    ...(Array.isArray(values) ? [values] : []),
    ...(constant === undefined ? [] : [[constant]]),
  ])
  const [first, ...others] = lists
  return first?.filter((value) => others.every((list) => list.some((other) => sameValue(value, other))))
}

function kindOf(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

function allowsKind(type: unknown, kind: string): boolean {
  return [type].flat().some((each) => each === kind || (each === "integer" && kind === "number"))
}

type Bounds = (all: readonly Keywords[], place: Place) => Never | string | undefined

const BOUNDS: Readonly<Partial<Record<string, Bounds>>> = {
  number: (all) => {
    const [least, most] = [highest(all, "minimum", "exclusiveMinimum"), lowest(all, "maximum", "exclusiveMaximum")]
    if (least > most) return `no number is at least ${least} and at most ${most}`
    const isWhole = all.some(({ type }) => type === "integer")
    if (isWhole && Math.ceil(least) > Math.floor(most)) return `no integer is between ${least} and ${most}`
    const isOpen = all.some(({ exclusiveMinimum, exclusiveMaximum }) =>
      [exclusiveMinimum, exclusiveMaximum].includes(least),
    )
    return least === most && isOpen ? `no number is above and below ${least}` : undefined
  },
  string: (all) => crossed(all, "Length", "characters"),
  array: (all, place) => crossed(all, "Items", "items") ?? ofItems(all, place),
  object: (all, place) => crossed(all, "Properties", "properties") ?? ofProperties(all, place),
}

function crossed(all: readonly Keywords[], what: string, unit: string): string | undefined {
  const [least, most] = [highest(all, `min${what}`), lowest(all, `max${what}`)]
  return least > most ? `no value has at least ${least} and at most ${most} ${unit}` : undefined
}

function numbersOf(all: readonly Keywords[], keys: readonly string[]): number[] {
  return all.flatMap((schema) => keys.map((key) => schema[key])).filter((value) => typeof value === "number")
}

function highest(all: readonly Keywords[], ...keys: readonly string[]): number {
  return Math.max(Number.NEGATIVE_INFINITY, ...numbersOf(all, keys))
}

function lowest(all: readonly Keywords[], ...keys: readonly string[]): number {
  return Math.min(Number.POSITIVE_INFINITY, ...numbersOf(all, keys))
}

/** Inspects the required items. */
function ofItems(all: readonly Keywords[], place: Place): Never | undefined {
  const least = Math.min(highest(all, "minItems"), 20)
  for (let index = 0; index < least; index += 1) {
    const never = look(
      all.flatMap((schema) => itemOf(schema, index)),
      { ...place, path: [...place.path, index] },
    )
    if (never !== undefined) return never
  }
  return undefined
}

function itemOf({ prefixItems, items }: Keywords, index: number): readonly unknown[] {
  if (Array.isArray(prefixItems) && index < prefixItems.length) return [prefixItems[index]]
  return items === undefined ? [] : [items]
}

/** Inspects the required properties. */
function ofProperties(all: readonly Keywords[], place: Place): Never | string | undefined {
  const names = new Set(all.flatMap(({ required }) => (Array.isArray(required) ? required.map(String) : [])))
  const most = lowest(all, "maxProperties")
  if (names.size > most) return `it requires ${names.size} properties but allows ${most}`
  for (const name of names) {
    const path = [...place.path, name]
    const never = look(
      all.flatMap((schema) => propertyOf(schema, name)),
      { ...place, path },
    )
    if (never === undefined) continue
    const isUnknown = never.path.length === path.length && all.some((schema) => isClosedTo(schema, name))
    return isUnknown ? `it requires "${name}", which its properties do not allow` : never
  }
  return undefined
}

function propertyOf(schema: Keywords, name: string): readonly unknown[] {
  const { properties, additionalProperties } = schema
  const named = isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
  const matching = patternsOf(schema, name)
  if (named.length + matching.length > 0 || additionalProperties === undefined) return [...named, ...matching]
  return [additionalProperties]
}

function isClosedTo(schema: Keywords, name: string): boolean {
  return schema["additionalProperties"] === false && propertyOf(schema, name)[0] === false
}

function patternsOf({ patternProperties }: Keywords, name: string): readonly unknown[] {
  if (!isRecord(patternProperties)) return []
  return Object.entries(patternProperties).flatMap(([pattern, schema]) => {
    const matches = tryPattern(pattern, name)
    // A pattern that cannot be run may allow anything.
    return matches === undefined ? [true] : matches ? [schema] : []
  })
}

function tryPattern(pattern: string, name: string): boolean | undefined {
  try {
    return new RegExp(pattern, "u").test(name)
  } catch {
    return undefined
  }
}
