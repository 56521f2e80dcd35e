import { jsonCopy } from "../json-copy.js"
import { isSource, type SchemaSource } from "../schema-source.js"
import { defined, type Keywords } from "./keywords.js"

/**
 * What tells and does not check: `title`, `description`, `default`, `examples` and flags. What `@adobe/data` says in
 * `ui`, `entity` and a `mediaType` such as `image/*` goes into the words.
 */
export function annotationKeywords(source: SchemaSource): Keywords {
  const ui = isSource(source["ui"]) ? source["ui"] : {}
  return defined({
    title: text(source["title"]) ?? text(ui["name"]),
    description: toDescription(source, text(source["description"]) ?? text(ui["summary"])),
    default: jsonCopy(source["default"]),
    examples: toExamples(source["examples"]),
    deprecated: flag(source["deprecated"]),
    readOnly: flag(source["readOnly"]),
    writeOnly: flag(source["writeOnly"]),
  })
}

/** A media type that names one type, not a range of them. */
export function isConcreteMediaType(mediaType: unknown): mediaType is string {
  return typeof mediaType === "string" && /^[\w.+-]+\/[\w.+-]+$/.test(mediaType)
}

function toDescription({ entity, mediaType }: SchemaSource, description: string | undefined): string | undefined {
  const range = typeof mediaType === "string" && !isConcreteMediaType(mediaType) ? mediaType : undefined
  const words = [description, entity === true ? "(entity id)" : undefined, range && `(${range})`]
  return words.filter(Boolean).join(" ") || undefined
}

function toExamples(examples: unknown): unknown {
  const copies = Array.isArray(examples) ? examples.map(jsonCopy).filter((example) => example !== undefined) : []
  return copies.length > 0 ? copies : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined
}

function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined
}
