import { isRecord } from "@x/base"
import type { Keywords } from "@x/tool-schemas/normalise"

/**
 * Options that make zod export values without a JSON form: a date and a file as text, a `bigint` as text of a whole number. A
 * mark lets `revive` find them; the mark is never published.
 */
export const zodOptions: Readonly<Record<string, unknown>> = {
  unrepresentable: ({ zodSchema }: ZodNode) => (FORMS[typeOf(zodSchema)] === undefined ? "throw" : "any"),
  override: ({ zodSchema, jsonSchema }: ZodNode & { readonly jsonSchema: Record<string, unknown> }) => {
    FORMS[typeOf(zodSchema)]?.(jsonSchema, Object(zodSchema))
  },
}

interface ZodNode {
  readonly zodSchema: unknown
}

/** Returns zod's own type name of a schema; empty for anything else. */
function typeOf(zodSchema: unknown): string {
  const { _zod: internals }: Keywords = Object(zodSchema)
  const { def }: Keywords = Object(internals)
  const { type }: Keywords = Object(def)
  return String(type ?? "")
}

type Form = (json: Record<string, unknown>, zodSchema: Keywords) => void

const FORMS: Readonly<Record<string, Form>> = {
  date: (json, { minDate, maxDate }) => {
    Object.assign(json, { type: "string", format: "date-time", [MARK]: "date" })
    tell(json, [
      minDate instanceof Date && `from ${minDate.toISOString()}`,
      maxDate instanceof Date && `until ${maxDate.toISOString()}`,
    ])
  },
  bigint: (json, { minValue, maxValue }) => {
    Object.assign(json, { type: "string", pattern: "^-?[0-9]+$", [MARK]: "bigint" })
    tell(json, [
      "a whole number",
      typeof minValue === "bigint" && `at least ${minValue}`,
      typeof maxValue === "bigint" && `at most ${maxValue}`,
    ])
  },
  file: (json) => {
    const { minLength, maxLength, anyOf, contentMediaType } = json
    for (const keyword of ["format", "minLength", "maxLength", "anyOf"]) delete json[keyword]
    Object.assign(json, { type: "string", contentEncoding: "base64", [MARK]: "file" })
    const media = [
      contentMediaType,
      ...[anyOf].flat().map((each) => isRecord(each) && each["contentMediaType"]),
    ].filter(Boolean)
    tell(json, [
      media.length > 1 ? `a data: URL of ${media.join(" or ")}` : "base64, or a data: URL",
      minLength !== undefined && `at least ${minLength} bytes`,
      maxLength !== undefined && `at most ${maxLength} bytes`,
    ])
  },
}

/** The keyword that marks what a text represents. */
export const MARK = "x-live"

function tell(json: Record<string, unknown>, words: readonly (string | false)[]): void {
  const said = words.filter(Boolean).join(", ")
  if (said === "") return
  const { description } = json
  json["description"] = typeof description === "string" ? `${description} (${said})` : `(${said})`
}

/** Checks whether a mark occurs anywhere in a schema. */
export function hasMark(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false
  return Object.hasOwn(schema, MARK) || Object.values(schema).some(hasMark)
}
