import type { Keywords } from "../keywords/keywords.js"
import { isSource } from "../schema-source.js"

/** Whether a value is of the kind that a published alternative asks for, as far as one look tells. */
export function fits(schema: Keywords, value: unknown): boolean {
  const { type, required, properties } = schema
  if (type !== undefined && ![type].flat().some((name) => isOfType(name, value))) return false
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]]
  if (Array.isArray(values) && !isObject(value) && !values.includes(value)) return false
  if (!isObject(value)) return true
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, member]) => {
    const property: unknown = isSource(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
    return !isSource(property) || isObject(member) || Array.isArray(member) || fits(property, member)
  })
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null
    case "array":
      return Array.isArray(value)
    case "object":
      return isObject(value)
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
