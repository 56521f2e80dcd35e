import { isRecord } from "@x/base"
import type { Keywords } from "../../src/json-schema.js"

/**
 * Returns the reasons why llama.cpp could build no grammar of a schema. It builds one for all tools, so one bad schema costs
 * them all. Reimplements common/json-schema-to-grammar.cpp (which parts of a schema it reads, in which order) and
 * src/llama-grammar.cpp (its grammars' escapes and repetitions).
 */
export function llamaProblems(root: Keywords): readonly string[] {
  const problems: string[] = []
  visit(root, "", problems)
  return problems
}

const KINDS = ["boolean", "number", "integer", "object", "array", "string", "null"]

/** Visits a schema. Only the first of these keywords counts. */
function visit(schema: unknown, path: string, problems: string[]): void {
  if (!isRecord(schema)) {
    problems.push(`${path}: unrecognized schema ${String(schema)}`)
    return
  }
  const { $ref, oneOf, anyOf, type, const: constant, enum: values } = schema
  const choice = $ref === undefined ? (oneOf ?? anyOf) : undefined
  if ($ref !== undefined) {
    if (!String($ref).startsWith("#/")) problems.push(`${path}: unsupported ref ${$ref}`)
  } else if (Array.isArray(choice)) visitAll(choice, path, problems)
  else if (Array.isArray(type)) {
    for (const each of type) visit({ ...schema, type: each }, path, problems)
  } else if (constant === undefined && values === undefined) visitKind(schema, path, problems)
}

function visitAll(schemas: readonly unknown[], path: string, problems: string[]): void {
  for (const [index, each] of schemas.entries()) visit(each, `${path}/${index}`, problems)
}

function visitKind(schema: Keywords, path: string, problems: string[]): void {
  const { type } = schema
  if ((type === undefined || type === "object") && visitObject(schema, path, problems)) return
  if ((type === undefined || type === "array") && visitArray(schema, path, problems)) return
  if (type === undefined || type === "string") visitText(schema, path, problems)
  if (type === "integer") visitInteger(schema, path, problems)
  if (type !== undefined && !KINDS.includes(String(type))) problems.push(`${path}: unrecognized type ${String(type)}`)
}

function visitObject(schema: Keywords, path: string, problems: string[]): boolean {
  const { properties, additionalProperties: others, allOf } = schema
  if (properties === undefined && (others === undefined || others === true)) {
    if (!Array.isArray(allOf)) return false
    for (const [index, each] of allOf.entries()) {
      const { type, properties }: Keywords = Object(each)
      if (type !== "object" && properties === undefined) problems.push(`${path}: an object, for parts that are none`)
      visitProperties(each, `${path}/allOf/${index}`, problems)
    }
    return true
  }
  visitProperties(schema, path, problems)
  if (isRecord(others)) visit(others, `${path}/additionalProperties`, problems)
  return true
}

function visitProperties(schema: unknown, path: string, problems: string[]): void {
  const { properties }: Keywords = Object(schema)
  for (const [name, each] of Object.entries(Object(properties))) visit(each, `${path}/${name}`, problems)
}

function visitArray(schema: Keywords, path: string, problems: string[]): boolean {
  const items = schema["items"] ?? schema["prefixItems"]
  if (items === undefined) return false
  if (Array.isArray(items)) visitAll(items, path, problems)
  else visit(items, `${path}/items`, problems)
  // A separator, a space and an item: three rules, repeated once less.
  repeat({ least: schema["minItems"], most: schema["maxItems"], rules: 3 }, path, problems)
  return true
}

function visitText(schema: Keywords, path: string, problems: string[]): void {
  const { pattern, format, minLength, maxLength, allOf } = schema
  if (allOf !== undefined) problems.push(`${path}: an object, for the parts of a text`)
  if (typeof pattern === "string") {
    problems.push(...patternProblems(pattern).map((each) => `${path}: ${each} in ${pattern}`))
  } else if (!/^(uuid[1-5]?|date|time|date-time)$/.test(String(format))) {
    repeat({ least: minLength, most: maxLength, rules: 1 }, path, problems)
  }
}

/** Visits an integer. Numbers have at most sixteen digits there, except beyond a bound of that many. */
function visitInteger(schema: Keywords, path: string, problems: string[]): void {
  const { minimum = 0, exclusiveMinimum = 0, maximum = 0, exclusiveMaximum = 0 } = schema
  const far = [minimum, exclusiveMinimum].some((each) => Number(each) > 1e15)
  if (far || [maximum, exclusiveMaximum].some((each) => Number(each) < -1e15)) problems.push(`${path}: a bound too far`)
}

const THRESHOLD = 2000

interface Repetition {
  readonly least: unknown
  readonly most: unknown
  readonly rules: number
}

function repeat({ least = 0, most, rules }: Repetition, path: string, problems: string[]): void {
  const few = Number(least)
  if (few > Number(most)) problems.push(`${path}: an endless grammar (${few}, ${String(most)})`)
  const many = most === undefined || Number(most) > THRESHOLD ? 0 : Number(most)
  if (few > THRESHOLD || Math.max(few, many) * rules >= THRESHOLD || Number(most) > 2 ** 31 - 1)
    problems.push(`${path}: too many repetitions (${few}, ${String(most)})`)
}

/** Escapes that grammars support, and escapes that the converter removes outside a class. */
const IN_GRAMMARS = /^(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[trn\\"[\]-])/
const TAKEN_OFF = /^[\^$.[\]()|{}*+?]/

function patternProblems(pattern: string): readonly string[] {
  if (!(pattern.startsWith("^") && pattern.endsWith("$"))) return ["no anchors"]
  const problems: string[] = []
  const inside = pattern.slice(1, -1)
  let isInClass = false
  for (let at = 0; at < inside.length; at += 1) {
    const rest = inside.slice(at)
    if (/^[^\0-\x7f][*+?{]/u.test(rest)) problems.push("the last byte of a character, repeated")
    if (rest.startsWith("\\")) {
      const after = rest.slice(1)
      if (!IN_GRAMMARS.test(after) && (isInClass || !TAKEN_OFF.test(after))) problems.push(`the escape \\${after[0]}`)
      at += 1
    } else if (isInClass) isInClass = rest[0] !== "]"
    else if (rest[0] === "[") isInClass = true
    else if (/^\(\?(?!:)/.test(rest)) problems.push("a group of a kind")
    // The meaning would change, because these are ordinary characters there.
    else if (/^[\^$]/.test(rest)) problems.push("an anchor within")
    else if (/^[*+?}][?]/.test(rest)) problems.push("lazy repetition, which would be optional")
    else if (Number(/^\{(\d+)/.exec(rest)?.[1] ?? 0) > THRESHOLD) problems.push("too many repetitions")
  }
  return problems
}
