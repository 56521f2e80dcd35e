import { showJson } from "@x/base"
import type { Keywords } from "@x/tool-schemas/normalise"
import {
  addIssue,
  checkAlso,
  checkAt,
  checkMember,
  createIssues,
  hasMember,
  type Issues,
  isFull,
  namedSchemasOf,
  namesOf,
  type Rule,
  type Site,
  schemaOf,
  spendSteps,
} from "./evaluation.js"

const toRef: Rule = (given, site) => {
  checkAlso(site.evaluation.$defs[String(given).slice("#/$defs/".length)] ?? true, site)
}

const toAllOf: Rule = (given, site) => {
  for (const part of listOf(given)) checkAlso(part, site)
}

/** Reports why no alternative fits. With a single alternative for such values, reports that alternative's issues. */
const toAnyOf: Rule = (given, site) => {
  const { fitting, branches } = ask(given, site, 1)
  if (fitting === 0) tellBranches(branches, site)
}

const toOneOf: Rule = (given, site) => {
  const { fitting, branches } = ask(given, site, 2)
  if (fitting === 0) tellBranches(branches, site)
  if (fitting > 1) addIssue(site, "fits more than one of the alternatives, expected to fit one only")
}

interface Asked {
  readonly fitting: number
  readonly branches: readonly Issues[]
}

/** Checks alternatives until enough of them fit. */
function ask(given: unknown, site: Site, enough: number): Asked {
  const branches: Issues[] = []
  let fitting = 0
  for (const part of listOf(given)) {
    const issues = createIssues(site.issues.max)
    if (checkAlso(part, site, issues)) fitting += 1
    branches.push(issues)
    // With unevaluated keywords all alternatives must be checked, because each may evaluate more members.
    if (fitting === enough && site.marks === undefined) break
  }
  return { fitting, branches }
}

/** Reports why no alternative fits. With a single alternative for this type, reports that alternative's issues. */
function tellBranches(branches: readonly Issues[], site: Site): void {
  const meant = branches.filter(({ misfits }) => !misfits.includes(site.trail))
  const [only] = meant
  if (meant.length !== 1) addIssue(site, "fits none of the alternatives")
  const told = meant.length === 1 ? [only] : branches
  const { issues } = site
  for (const branch of told) issues.all.push(...(branch?.all ?? []).slice(0, issues.max - issues.all.length))
}

const toNot: Rule = (given, site) => {
  const schema = schemaOf(given)
  const isAnything = typeof schema === "object" && Object.keys(schema).length === 0
  if (!checkAlso(schema, site, createIssues(1))) return
  addIssue(site, isAnything ? "is not expected here" : `fits what is excluded: ${showJson(given)}`)
}

const toIf: Rule = (given, site, schema) => {
  const branch = checkAlso(schemaOf(given), site, createIssues(1)) ? "then" : "else"
  if (schema[branch] !== undefined) checkAlso(schemaOf(schema[branch]), site)
}

const toRequired: Rule = (given, site) => {
  const { members } = site
  if (members === undefined) return
  for (const name of textsOf(given)) if (!hasMember(members, name)) addIssue(site, "is missing", name)
}

const toDependentRequired: Rule = (given, site) => {
  const { members } = site
  if (members === undefined) return
  for (const [name, others] of Object.entries(Object(given))) {
    if (!hasMember(members, name)) continue
    for (const other of textsOf(others))
      if (!hasMember(members, other)) addIssue(site, `is missing beside "${name}"`, other)
  }
}

const toDependentSchemas: Rule = (given, site) => {
  const { members } = site
  if (members === undefined) return
  const schemas = namedSchemasOf(given)
  for (const name in schemas) if (hasMember(members, name)) checkAlso(schemas[name] ?? true, site)
}

const toProperties: Rule = (given, site) => {
  const { members } = site
  if (members === undefined) return
  const schemas = namedSchemasOf(given)
  for (const name in schemas) if (hasMember(members, name)) checkMember(schemas[name] ?? true, site, name)
}

const toPatternProperties: Rule = (given, site) => {
  const { members, evaluation } = site
  if (members === undefined) return
  for (const [pattern, schema] of Object.entries(namedSchemasOf(given))) {
    for (const name of namesOf(members)) {
      spendSteps(site, 1)
      if (evaluation.matches(pattern, name)) checkMember(schema, site, name)
    }
  }
}

const toAdditional: Rule = (given, site, { properties, patternProperties }) => {
  const { members, evaluation } = site
  if (members === undefined) return
  const patterns = Object.keys(patternProperties ?? {})
  for (const name of namesOf(members)) {
    if (isFull(site)) return
    if (Object.hasOwn(properties ?? {}, name) || patterns.some((pattern) => evaluation.matches(pattern, name))) continue
    checkMember(schemaOf(given), site, name)
  }
}

const toPropertyNames: Rule = (given, site) => {
  const { members } = site
  if (members === undefined) return
  for (const name of namesOf(members)) {
    if (isFull(site)) return
    checkAt(schemaOf(given), {
      ...site,
      value: name,
      type: "string",
      members: undefined,
      trail: { key: name, above: site.trail },
      depth: site.depth + 1,
      marks: undefined,
    })
  }
}

const toPrefixItems: Rule = (given, site) => {
  const { value } = site
  if (!Array.isArray(value)) return
  for (const [index, schema] of listOf(given).slice(0, value.length).entries()) checkMember(schema, site, index)
}

const toItems: Rule = (given, site, { prefixItems }) => {
  const { value } = site
  if (!Array.isArray(value)) return
  for (let index = listOf(prefixItems).length; index < value.length && !isFull(site); index += 1)
    checkMember(schemaOf(given), site, index)
}

const toContains: Rule = (given, site, { minContains = 1, maxContains = Number.POSITIVE_INFINITY }) => {
  const { value, marks } = site
  if (!Array.isArray(value)) return
  let found = 0
  for (const index of value.keys()) {
    if (!checkMember(schemaOf(given), { ...site, issues: createIssues(1), marks: undefined }, index)) continue
    found += 1
    marks?.add(index)
  }
  if (found < Number(minContains))
    addIssue(site, `found ${found} items that match "contains", expected at least ${minContains}`)
  if (found > Number(maxContains))
    addIssue(site, `found ${found} items that match "contains", expected at most ${maxContains}`)
}

function listOf(schemas: unknown): readonly (Keywords | boolean)[] {
  return Array.isArray(schemas) ? schemas : []
}

function textsOf(names: unknown): readonly string[] {
  return Array.isArray(names) ? names : []
}

/** Rules of keywords about a value's members, and about combined schemas. */
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
