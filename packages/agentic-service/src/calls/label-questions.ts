import type { JsonSchema } from "@x/tool-schemas"
import { cleanLine, cleanText, isRecord } from "@x/tool-schemas/json"
import type { Question, Questions } from "../execute-context.js"

/** Whoever asks a person through us without being the application itself. */
export interface Asker {
  /** What it is, in a word. */
  readonly kind: "server" | "page"
  /** Its name as the operator knows it: a configured name or an origin, never what it calls itself. */
  readonly name: string
}

/**
 * Labels questions with who asks them, and removes what a person cannot see. The label is the first line; each line of the
 * asker's own words follows behind `> `, so that none of them can pass for a label.
 */
export function labelQuestions(questions: Questions, asker: Asker): Questions {
  return Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, labelQuestion(question, asker)]))
}

/** Labels one question; see {@link labelQuestions}. */
export function labelQuestion({ message, schema }: Question, { kind, name }: Asker): Question {
  const label = `The ${kind} ${JSON.stringify(shorten(cleanLine(name), LONGEST.name))} asks, in its own words:`
  const lines = shorten(cleanText(message), LONGEST.message).split("\n")
  return { message: [label, ...lines.map((line) => `> ${line}`)].join("\n"), schema: cleanSchema(schema) }
}

/** The most characters that are shown. */
const LONGEST = { name: 100, message: 10_000 }

function shorten(text: string, most: number): string {
  return text.length > most ? `${cleanText(text.slice(0, most))}…` : text
}

function cleanSchema(schema: JsonSchema): JsonSchema {
  // Every member is of the kind it was.
  return cleanIn(schema, 0) as JsonSchema
}

/** Cleans what a form shows of a schema. Values stay as they are, because the answer has to be one of them. */
function cleanIn(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return true
  if (Array.isArray(value)) return value.map((item) => cleanIn(item, depth + 1))
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([key, member]) => [key, cleanMember(key, member, depth)] as const)
  return { ...Object.fromEntries(members), ...nameValues(value) }
}

/** How deep a form's schema may be; deeper parts allow anything. */
const DEEPEST = 32

function cleanMember(key: string, member: unknown, depth: number): unknown {
  if (VALUES.has(key)) return member
  if (key === "description" && typeof member === "string") return cleanText(member)
  if (key === "title" && typeof member === "string") return cleanLine(member)
  if (key === "enumNames" && Array.isArray(member)) return member.map((each) => cleanLine(String(each)))
  if (key === "properties" && isRecord(member)) return cleanProperties(member, depth)
  return cleanIn(member, depth + 1)
}

const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "required", "pattern", "type", "format"])

/** A key is shown where a property has no title, so one that cannot be shown as it is gets a title. */
function cleanProperties(properties: object, depth: number): unknown {
  const entries = Object.entries(properties).map(([key, property]: [string, unknown]) => {
    const cleaned = cleanIn(property, depth + 1)
    const shown = cleanLine(key)
    const titled = isRecord(cleaned) && cleaned["title"] === undefined && shown !== key
    return [key, titled ? { ...cleaned, title: shown } : cleaned] as const
  })
  return Object.fromEntries(entries)
}

/** A value is shown where it has no name, so values that cannot be shown as they are get names. */
function nameValues({ enum: values, enumNames }: Readonly<Record<string, unknown>>): object {
  if (!Array.isArray(values) || enumNames !== undefined) return {}
  const shown = values.map((value) => (typeof value === "string" ? cleanLine(value) : value))
  return shown.every((each, index) => each === values[index]) ? {} : { enumNames: shown.map(String) }
}
