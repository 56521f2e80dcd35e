import { isRecord } from "@x/tool-schemas/json"
import type { Keywords, NormalisedSchema } from "@x/tool-schemas/normalise"
import type { Issue } from "../service.js"

/** What values are checked against, and how much of that is done. */
export interface Evaluation extends NormalisedSchema {
  /** What each keyword asks for. */
  readonly rules: ReadonlyMap<string, Rule>
  /** Whether somewhere in the schema it matters what else is said of a member or an item. */
  readonly closes: boolean
  /** Tells whether a text matches a pattern of the schema. */
  readonly matches: (pattern: string, text: string) => boolean
  /** Tells whether a text is of a format; what nobody knows, every text is. */
  readonly hasFormat: (format: string, text: string) => boolean
  /** How many more steps it may take: schemas met with values, and what they compare. */
  steps: number
}

/** A check that would take too long, or go too deep; the message says which. */
class TooMuchError extends Error {
  override readonly name = "TooMuchError"
}

/**
 * Checks a value against a schema of 2020-12, and stops at so many issues.
 *
 * @returns What is wrong; nothing where the value fits.
 * @throws TooMuchError when it takes more steps than there are left, or is nested more than 500 deep.
 */
export function evaluate(evaluation: Evaluation, value: unknown, maxIssues: number): readonly Issue[] {
  const issues = createIssues(maxIssues)
  const marks = evaluation.closes ? new Set<string | number>() : undefined
  visit(evaluation.root, { evaluation, value, trail: undefined, depth: 0, issues, marks })
  return issues.all
}

/** A value that is being checked, and where it stands. */
export interface Site {
  readonly evaluation: Evaluation
  readonly value: unknown
  readonly trail: Trail | undefined
  readonly depth: number
  readonly issues: Issues
  /** The members and items of which something has been said, where that matters. */
  readonly marks: Set<string | number> | undefined
}

/** A path, seen from its end. */
interface Trail {
  readonly key: string | number
  readonly above: Trail | undefined
}

export interface Issues {
  readonly all: Issue[]
  readonly max: number
  /** Where the value as a whole was of another kind than was expected, by type or by value. */
  readonly misfits: (Trail | undefined)[]
}

export function createIssues(max: number): Issues {
  return { all: [], max, misfits: [] }
}

const MAX_DEPTH = 500

/** Checks the value at a place; `true` where it fits. */
export function visit(schema: unknown, site: Site): boolean {
  const { issues, value } = site
  if (issues.all.length >= issues.max) return false
  spend(site, 1)
  if (site.depth > MAX_DEPTH) throw new TooMuchError(`it is nested more than ${MAX_DEPTH} deep`)
  const before = issues.all.length
  if (schema === false) add(site, "is not expected here")
  if (!isJson(value)) add(site, `found "${typeof value}", which JSON does not know`)
  if (!isRecord(schema) || issues.all.length > before) return issues.all.length === before
  for (const keyword in schema) site.evaluation.rules.get(keyword)?.(schema[keyword], site, schema)
  // What closes over all the rest comes after it.
  if (site.marks !== undefined) closeOver(schema, site)
  return issues.all.length === before
}

/** Takes steps. */
export function spend({ evaluation }: Site, steps: number): void {
  evaluation.steps -= steps
  if (evaluation.steps < 0) throw new TooMuchError("it takes too many steps")
}

function isJson(value: unknown): boolean {
  return (
    typeof value === "object" || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  )
}

/** Tells that something is wrong with the value, or with a member of it. */
export function add({ issues, trail }: Site, message: string, key?: string | number): void {
  if (issues.all.length >= issues.max) return
  const path = key === undefined ? [] : [key]
  for (let step = trail; step; step = step.above) path.unshift(step.key)
  issues.all.push({ path, message })
}

/** Checks the same value by a further schema. */
export function also(schema: unknown, site: Site, issues: Issues = site.issues): boolean {
  const marks = site.marks && new Set<string | number>()
  const { evaluation, value, trail, depth } = site
  const fits = visit(schema, { evaluation, value, trail, depth: depth + 1, issues, marks })
  if (fits && marks) for (const key of marks) site.marks?.add(key)
  return fits
}

/** Checks a member or an item. */
export function below(schema: unknown, site: Site, key: string | number): boolean {
  const { evaluation, issues, depth } = site
  site.marks?.add(key)
  // Callers have seen that it holds such a key.
  const value = (site.value as Readonly<Record<string | number, unknown>>)[key]
  const marks = evaluation.closes ? new Set<string | number>() : undefined
  return visit(schema, { evaluation, value, trail: { key, above: site.trail }, depth: depth + 1, issues, marks })
}

/** Checks what one keyword asks of a value. */
export type Rule = (given: unknown, site: Site, schema: Keywords) => void

/** The names of what an object holds; as in JSON, what is `undefined` is not there. */
export function namesOf(value: object): string[] {
  return Object.keys(value).filter((name) => Reflect.get(value, name) !== undefined)
}

/** Whether an object holds a member, as JSON would write it. */
export function has(value: object, name: string): boolean {
  return Object.hasOwn(value, name) && Reflect.get(value, name) !== undefined
}

function closeOver({ unevaluatedProperties, unevaluatedItems }: Keywords, site: Site): void {
  const { value, marks } = site
  const keys = Array.isArray(value) ? value.keys() : isRecord(value) ? namesOf(value) : []
  const rest = Array.isArray(value) ? unevaluatedItems : unevaluatedProperties
  if (rest !== undefined) for (const key of keys) if (!marks?.has(key)) below(rest, site, key)
}

/** Whether there is no room for further issues. */
export function isFull({ issues }: Site): boolean {
  return issues.all.length >= issues.max
}
