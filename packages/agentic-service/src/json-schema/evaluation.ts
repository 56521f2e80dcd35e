import { type Keywords, type NormalisedSchema, typeOf } from "@x/tool-schemas/normalise"
import type { Issue } from "../service.js"

/** A schema to check values against, and the limits of the check. */
export interface Evaluation extends NormalisedSchema {
  /** The rule of each keyword. */
  readonly rules: ReadonlyMap<string, Rule>
  /** Whether the schema has keywords that depend on evaluated members or items. */
  readonly closes: boolean
  /** Checks whether a text matches a pattern of the schema. */
  readonly matches: (pattern: string, text: string) => boolean
  /** Checks whether a text has a format. Every text has an unknown format. */
  readonly hasFormat: (format: string, text: string) => boolean
  /** The remaining steps: visited schemas and comparisons. */
  steps: number
}

/** The error of a check that exceeds its limit of time or depth; the message says which. */
class TooMuchError extends Error {
  override readonly name = "TooMuchError"
}

/**
 * Checks a value against a 2020-12 schema, up to a number of issues.
 *
 * @returns The issues; empty if the value fits.
 * @throws TooMuchError if the steps run out, or the value is nested more than 500 deep.
 */
export function evaluate(evaluation: Evaluation, value: unknown, maxIssues: number): readonly Issue[] {
  const issues = createIssues(maxIssues)
  const marks = evaluation.closes ? new Set<string | number>() : undefined
  const type = typeOf(value)
  const members = membersOf(value, type)
  checkAt(evaluation.root, { evaluation, value, type, members, trail: undefined, depth: 0, issues, marks })
  return issues.all
}

/** A value during its check. */
export interface Site {
  readonly evaluation: Evaluation
  readonly value: unknown
  /** The value's type, as named by the keyword `type`; that of every number is `number`. */
  readonly type: string
  /** The value as an object with members; `undefined` for a list or any other value. */
  readonly members: Members | undefined
  readonly trail: Trail | undefined
  readonly depth: number
  readonly issues: Issues
  /** The evaluated members and items, when they matter. */
  readonly marks: Set<string | number> | undefined
}

type Members = Readonly<Record<string, unknown>>

function membersOf(value: unknown, type: string): Members | undefined {
  return type === "object" ? (value as Members) : undefined // `null` and lists have types of their own
}

/** A path, linked from its end. */
interface Trail {
  readonly key: string | number
  readonly above: Trail | undefined
}

export interface Issues {
  readonly all: Issue[]
  readonly max: number
  /** Places where the whole value had another type or constant than expected. */
  readonly misfits: (Trail | undefined)[]
}

export function createIssues(max: number): Issues {
  return { all: [], max, misfits: [] }
}

const MAX_DEPTH = 500

/** Checks a value at a place. Returns `true` when it fits. */
export function checkAt(schema: Keywords | boolean, site: Site): boolean {
  const { issues, value } = site
  if (issues.all.length >= issues.max) return false
  spendSteps(site, 1)
  if (site.depth > MAX_DEPTH) throw new TooMuchError(`it is nested more than ${MAX_DEPTH} deep`)
  const before = issues.all.length
  if (schema === false) addIssue(site, "is not expected here")
  if (!isJson(value)) addIssue(site, `found "${typeof value}", which JSON does not support`)
  if (issues.all.length > before) return false
  if (typeof schema === "boolean") return true
  for (const keyword in schema) site.evaluation.rules.get(keyword)?.(schema[keyword], site, schema)
  // The unevaluated keywords depend on all others.
  if (site.marks !== undefined) closeOver(schema, site)
  return issues.all.length === before
}

/** Uses up steps. */
export function spendSteps({ evaluation }: Site, steps: number): void {
  evaluation.steps -= steps
  if (evaluation.steps < 0) throw new TooMuchError("it takes too many steps")
}

function isJson(value: unknown): boolean {
  return (
    typeof value === "object" || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  )
}

/** Adds an issue about the value or one of its members. */
export function addIssue({ issues, trail }: Site, message: string, key?: string | number): void {
  if (issues.all.length >= issues.max) return
  const path = key === undefined ? [] : [key]
  for (let step = trail; step; step = step.above) path.unshift(step.key)
  issues.all.push({ path, message })
}

/** Checks the same value against a further schema. */
export function checkAlso(schema: Keywords | boolean, site: Site, issues: Issues = site.issues): boolean {
  const marks = site.marks && new Set<string | number>()
  const { evaluation, value, type, members, trail, depth } = site
  const fits = checkAt(schema, { evaluation, value, type, members, trail, depth: depth + 1, issues, marks })
  if (fits && marks) for (const key of marks) site.marks?.add(key)
  return fits
}

/** Checks a member or an item. */
export function checkMember(schema: Keywords | boolean, site: Site, key: string | number): boolean {
  const { evaluation, issues, depth } = site
  site.marks?.add(key)
  // Callers have checked that the key exists.
  const value = (site.value as Readonly<Record<string | number, unknown>>)[key]
  const marks = evaluation.closes ? new Set<string | number>() : undefined
  const type = typeOf(value)
  const members = membersOf(value, type)
  const trail = { key, above: site.trail }
  return checkAt(schema, { evaluation, value, type, members, trail, depth: depth + 1, issues, marks })
}

/** Reads a subschema of a normalised schema. */
export function schemaOf(given: unknown): Keywords | boolean {
  return given as Keywords | boolean // `normaliseSchema` copied it, and rejects anything else
}

/** Reads the subschemas of a normalised schema that have names. */
export function namedSchemasOf(given: unknown): Readonly<Record<string, Keywords | boolean>> {
  return given as Readonly<Record<string, Keywords | boolean>> // as above
}

/** Checks one keyword against a value. */
export type Rule = (given: unknown, site: Site, schema: Keywords) => void

/** Returns an object's member names. As in JSON, `undefined` members are missing. */
export function namesOf(value: object): string[] {
  return Object.keys(value).filter((name) => Reflect.get(value, name) !== undefined)
}

/** Checks whether an object has a member, as JSON would write it. */
export function hasMember(value: object, name: string): boolean {
  return Object.hasOwn(value, name) && Reflect.get(value, name) !== undefined
}

function closeOver({ unevaluatedProperties, unevaluatedItems }: Keywords, site: Site): void {
  const { value, members, marks } = site
  const keys = Array.isArray(value) ? value.keys() : members === undefined ? [] : namesOf(members)
  const rest = Array.isArray(value) ? unevaluatedItems : unevaluatedProperties
  if (rest !== undefined) for (const key of keys) if (!marks?.has(key)) checkMember(schemaOf(rest), site, key)
}

/** Checks whether the limit of issues is reached. */
export function isFull({ issues }: Site): boolean {
  return issues.all.length >= issues.max
}
