import { format, type Schema } from "@cfworker/json-schema"
import { RE2JS } from "re2js"

/**
 * Makes a constraint of an author's `pattern` that takes time in proportion to the text, whoever sends the text: the
 * host's engine, which the validator uses, tries `^(a+)+$` for years. `undefined` for what is no pattern.
 *
 * What RE2 does not know, such as look-around and back-references, is left to the host's engine, for short texts only.
 */
export function toLinearPattern(pattern: string): Schema | undefined {
  const matches = toLinearMatch(pattern) ?? toShortMatch(pattern)
  if (matches === undefined) return undefined
  // All that the validator can be told of is formats.
  const name = `${PREFIX}${pattern}`
  format[name] = matches
  return { format: name }
}

/** Tells patterns from formats, also in what the validator says. */
const PREFIX = "pattern "

type Match = (text: string) => boolean

function toLinearMatch(pattern: string): Match | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return (text) => compiled.test(text)
  } catch {
    return undefined
  }
}

function toShortMatch(pattern: string): Match | undefined {
  try {
    const compiled = new RegExp(pattern, "u")
    return (text) => text.length <= SHORT && compiled.test(text)
  } catch {
    return undefined
  }
}

/** The longest text that is tried on a pattern outside RE2, in characters. */
const SHORT = 256
