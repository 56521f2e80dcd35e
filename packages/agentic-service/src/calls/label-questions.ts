import { cleanLine, cleanText, cutText, isRecord } from "@x/base"
import type { JsonSchema } from "@x/tool-schemas"
import type { Question, Questions } from "../execute-context.js"

/** A server or page that asks a person through us, other than the application itself. */
export interface Asker {
  /** The kind of asker. */
  readonly kind: "server" | "page"
  /** The name known to the operator: a configured name or an origin, never the asker's own claim. */
  readonly name: string
}

/**
 * Labels questions with their asker, and removes invisible characters. The label is the first line. Each line of the asker's
 * own words begins with `> `, so that no line can imitate a label.
 *
 * @example
 * ```ts
 * import { labelQuestions } from "@x/agentic-service/adapter"
 *
 * const schema = { type: "object", properties: { city: { type: "string" } } }
 * const questions = labelQuestions({ city: { message: "Which city?", schema } }, { kind: "server", name: "shop" })
 * console.log(questions["city"]?.message)
 * // The server "shop" asks, in its own words:
 * // > Which city?
 * ```
 */
export function labelQuestions(questions: Questions, asker: Asker): Questions {
  return Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, labelQuestion(question, asker)]))
}

/**
 * Labels one question; see {@link labelQuestions}.
 *
 * @example
 * ```ts
 * import { labelQuestion } from "@x/agentic-service/adapter"
 *
 * const question = { message: "Delete it?\nThe app asks:", schema: { type: "object", properties: {} } }
 * console.log(labelQuestion(question, { kind: "page", name: "https://shop.example" }).message)
 * // The page "https://shop.example" asks, in its own words:
 * // > Delete it?
 * // > The app asks:
 * ```
 */
export function labelQuestion({ message, schema }: Question, { kind, name }: Asker): Question {
  const label = `The ${kind} ${JSON.stringify(cutText(cleanLine(name), LONGEST.name))} asks, in its own words:`
  const lines = cutText(cleanText(message), LONGEST.message).split("\n")
  return { message: [label, ...lines.map((line) => `> ${line}`)].join("\n"), schema: cleanSchema(schema) }
}

/** The maximum of shown characters. */
const LONGEST = { name: 100, message: 10_000 }

function cleanSchema(schema: JsonSchema): JsonSchema {
  // Every member keeps its kind.
  return cleanIn(schema, 0) as JsonSchema
}

/** Cleans the shown parts of a form's schema. Values stay unchanged, because an answer must equal one of them. */
function cleanIn(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return true
  if (Array.isArray(value)) return value.map((item) => cleanIn(item, depth + 1))
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([key, member]) => [key, cleanMember(key, member, depth)] as const)
  return { ...Object.fromEntries(members), ...nameValues(value) }
}

/** The maximum depth of a form's schema. Deeper parts accept anything. */
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

/** A property without a title shows its key, so an unshowable key gets a title. */
function cleanProperties(properties: object, depth: number): unknown {
  const entries = Object.entries(properties).map(([key, property]: [string, unknown]) => {
    const cleaned = cleanIn(property, depth + 1)
    const shown = cleanLine(key)
    const titled = isRecord(cleaned) && cleaned["title"] === undefined && shown !== key
    return [key, titled ? { ...cleaned, title: shown } : cleaned] as const
  })
  return Object.fromEntries(entries)
}

/** A value without a name is shown itself, so unshowable values get names. */
function nameValues({ enum: values, enumNames }: Readonly<Record<string, unknown>>): object {
  if (!Array.isArray(values) || enumNames !== undefined) return {}
  const shown = values.map((value) => (typeof value === "string" ? cleanLine(value) : value))
  return shown.every((each, index) => each === values[index]) ? {} : { enumNames: shown.map(String) }
}
