import { invalidUsage } from "../cli-error.js"
import { suggest } from "../names/nearest.js"
import type { Flag } from "./flag.js"
import { isKind } from "./value-kind.js"

/**
 * Reads the text that was given for a flag as a value of one of its kinds; where it may be text and something else, it is
 * text only where it is nothing else.
 *
 * @throws CliError `invalid_usage` that says what was expected.
 */
export function readValue(flag: Flag, text: string): unknown {
  const { name, choices, kinds } = flag
  if (choices !== undefined) return choose(name, choices, text)
  if (kinds.length === 1 && kinds[0] === "string") return text
  const value = parse(text)
  if (value !== undefined && kinds.some((kind) => isKind(value, kind))) return value
  if (kinds.includes("string")) return text
  throw invalidUsage(`flag "--${name}" is ${shorten(text)}: expected ${kinds.map(describe).join(" or ")}`)
}

function choose(name: string, choices: readonly unknown[], text: string): unknown {
  const words = choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)))
  const index = words.indexOf(text)
  if (index >= 0) return choices[index]
  throw invalidUsage(`flag "--${name}" is ${shorten(text)}: ${suggest(text, words)}`)
}

/** JSON, or nothing: no value of JSON is `undefined`. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describe(kind: string): string {
  if (kind === "object") return "a JSON object"
  if (kind === "array") return "a JSON list"
  if (kind === "null") return "null"
  return kind === "integer" ? "an integer" : `a ${kind}`
}

function shorten(text: string): string {
  return JSON.stringify(text.length > shown ? `${text.slice(0, shown)}…` : text)
}

const shown = 60
