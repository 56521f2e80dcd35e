import { isRecord, showJson } from "@x/tool-schemas/json"
import {
  add,
  also,
  below,
  createIssues,
  has,
  type Issues,
  isFull,
  namesOf,
  type Rule,
  type Site,
  spend,
  visit,
} from "./evaluation.js"

const toRef: Rule = (given, site) => {
  also(site.evaluation.$defs[String(given).slice("#/$defs/".length)], site)
}

const toAllOf: Rule = (given, site) => {
  for (const part of listOf(given)) also(part, site)
}

/** Tells why none fits; of several, only that which is meant for such a value. */
const toAnyOf: Rule = (given, site) => {
  const { fitting, branches } = ask(given, site, 1)
  if (fitting === 0) tellBranches(branches, site)
}

const toOneOf: Rule = (given, site) => {
  const { fitting, branches } = ask(given, site, 2)
  if (fitting === 0) tellBranches(branches, site)
  if (fitting > 1) add(site, "fits more than one of the alternatives, expected to fit one only")
}

interface Asked {
  readonly fitting: number
  readonly branches: readonly Issues[]
}

/** Asks alternatives until enough of them fit. */
function ask(given: unknown, site: Site, enough: number): Asked {
  const branches: Issues[] = []
  let fitting = 0
  for (const part of listOf(given)) {
    const issues = createIssues(site.issues.max)
    if (also(part, site, issues)) fitting += 1
    branches.push(issues)
    // Where something closes over the rest, all have to be asked: each may say more of members and items.
    if (fitting === enough && site.marks === undefined) break
  }
  return { fitting, branches }
}

/** Tells why none fits; of several, only that which is meant for a value of such a kind. */
function tellBranches(branches: readonly Issues[], site: Site): void {
  const meant = branches.filter(({ misfits }) => !misfits.includes(site.trail))
  const [only] = meant
  if (meant.length !== 1) add(site, "fits none of the alternatives")
  const told = meant.length === 1 ? [only] : branches
  const { issues } = site
  for (const branch of told) issues.all.push(...(branch?.all ?? []).slice(0, issues.max - issues.all.length))
}

const toNot: Rule = (given, site) => {
  const isAnything = isRecord(given) && Object.keys(given).length === 0
  if (!also(given, site, createIssues(1))) return
  add(site, isAnything ? "is not expected here" : `fits what is excluded: ${showJson(given)}`)
}

const toIf: Rule = (given, site, schema) => {
  const branch = also(given, site, createIssues(1)) ? "then" : "else"
  if (schema[branch] !== undefined) also(schema[branch], site)
}

const toRequired: Rule = (given, site) => {
  const { value } = site
  if (isRecord(value)) for (const name of textsOf(given)) if (!has(value, name)) add(site, "is missing", name)
}

const toDependentRequired: Rule = (given, site) => {
  const { value } = site
  if (!isRecord(value) || !isRecord(given)) return
  for (const name in given) {
    if (!has(value, name)) continue
    for (const other of textsOf(given[name])) if (!has(value, other)) add(site, `is missing beside "${name}"`, other)
  }
}

const toDependentSchemas: Rule = (given, site) => {
  const { value } = site
  if (isRecord(value) && isRecord(given)) for (const name in given) if (has(value, name)) also(given[name], site)
}

const toProperties: Rule = (given, site) => {
  const { value } = site
  if (isRecord(value) && isRecord(given)) for (const name in given) if (has(value, name)) below(given[name], site, name)
}

const toPatternProperties: Rule = (given, site) => {
  const { value, evaluation } = site
  if (!isRecord(value) || !isRecord(given)) return
  for (const pattern in given) {
    for (const name of namesOf(value)) {
      spend(site, 1)
      if (evaluation.matches(pattern, name)) below(given[pattern], site, name)
    }
  }
}

const toAdditional: Rule = (given, site, { properties, patternProperties }) => {
  const { value, evaluation } = site
  if (!isRecord(value)) return
  const named = isRecord(properties) ? properties : {}
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : []
  for (const name of namesOf(value)) {
    if (isFull(site)) return
    if (Object.hasOwn(named, name) || patterns.some((pattern) => evaluation.matches(pattern, name))) continue
    below(given, site, name)
  }
}

const toPropertyNames: Rule = (given, site) => {
  const { value } = site
  if (!isRecord(value)) return
  for (const name of namesOf(value)) {
    if (isFull(site)) return
    visit(given, {
      ...site,
      value: name,
      trail: { key: name, above: site.trail },
      depth: site.depth + 1,
      marks: undefined,
    })
  }
}

const toPrefixItems: Rule = (given, site) => {
  const { value } = site
  if (!Array.isArray(value)) return
  for (const [index, schema] of listOf(given).slice(0, value.length).entries()) below(schema, site, index)
}

const toItems: Rule = (given, site, { prefixItems }) => {
  const { value } = site
  if (!Array.isArray(value)) return
  for (let index = listOf(prefixItems).length; index < value.length && !isFull(site); index += 1)
    below(given, site, index)
}

const toContains: Rule = (given, site, { minContains = 1, maxContains = Number.POSITIVE_INFINITY }) => {
  const { value, marks } = site
  if (!Array.isArray(value)) return
  let found = 0
  for (const index of value.keys()) {
    if (!below(given, { ...site, issues: createIssues(1), marks: undefined }, index)) continue
    found += 1
    marks?.add(index)
  }
  if (found < Number(minContains)) add(site, `found ${found} items of a kind, expected at least ${minContains}`)
  if (found > Number(maxContains)) add(site, `found ${found} items of a kind, expected at most ${maxContains}`)
}

function listOf(schemas: unknown): readonly unknown[] {
  return Array.isArray(schemas) ? schemas : []
}

function textsOf(names: unknown): readonly string[] {
  return Array.isArray(names) ? names : []
}

/** What keywords ask of what a value holds, and of how schemas combine. */
export const memberRules: readonly (readonly [string, Rule])[] = [
  ["$ref", toRef],
  ["allOf", toAllOf],
  ["anyOf", toAnyOf],
  ["oneOf", toOneOf],
  ["not", toNot],
  ["if", toIf],
  ["required", toRequired],
  ["dependentRequired", toDependentRequired],
  ["dependentSchemas", toDependentSchemas],
  ["properties", toProperties],
  ["patternProperties", toPatternProperties],
  ["additionalProperties", toAdditional],
  ["propertyNames", toPropertyNames],
  ["prefixItems", toPrefixItems],
  ["items", toItems],
  ["contains", toContains],
]
