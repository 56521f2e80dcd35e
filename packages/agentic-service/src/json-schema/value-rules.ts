import { compareText, isRecord, sameValue, showJson } from "@x/base"
import { addIssue, namesOf, type Rule, type Site, spendSteps } from "./evaluation.js"

const ofNumbers =
  (holds: (value: number, given: number) => boolean, words: string): Rule =>
  (given, site) => {
    const { value } = site
    if (typeof value === "number" && !holds(value, Number(given)))
      addIssue(site, `found ${value}, expected ${words} ${given}`)
  }

const ofCounts =
  (count: (value: unknown, site: Site) => number | undefined, words: "at least" | "at most", unit: string): Rule =>
  (given, site) => {
    const found = count(site.value, site)
    if (found === undefined || (words === "at least" ? found >= Number(given) : found <= Number(given))) return
    addIssue(site, `found ${found} ${unit}, expected ${words} ${given}`)
  }

const ofTexts =
  (holds: (text: string, given: string, site: Site) => boolean, words: string): Rule =>
  (given, site) => {
    const { value } = site
    if (typeof value === "string" && !holds(value, String(given), site))
      addIssue(site, `does not match the ${words} "${given}"`)
  }

const toType: Rule = (given, site) => {
  const types = Array.isArray(given) ? given : [given]
  if (types.includes(site.type) || (types.includes("integer") && Number.isInteger(site.value))) return
  misfit(site, `found "${site.type}", expected "${types.join('", "')}"`)
}

const toEnum: Rule = (given, site) => {
  if (!Array.isArray(given)) return
  spendSteps(site, given.length)
  if (!isAmong(site.value, given))
    misfit(site, `found ${showJson(site.value)}, expected one of ${given.map((each) => showJson(each)).join(", ")}`)
}

const toConst: Rule = (given, site) => {
  if (!isAmong(site.value, [given])) misfit(site, `found ${showJson(site.value)}, expected ${showJson(given)}`)
}

function misfit(site: Site, message: string): void {
  site.issues.misfits.push(site.trail)
  addIssue(site, message)
}

const toUniqueItems: Rule = (given, site) => {
  const { value } = site
  if (given !== true || !Array.isArray(value)) return
  const twice = findDuplicate(value, (steps) => spendSteps(site, steps))
  if (twice !== undefined)
    addIssue(site, `the items at ${twice[0]} and ${twice[1]} are equal, expected different items`)
}

const lengthOf = (value: unknown, site: Site): number | undefined => {
  if (typeof value !== "string") return undefined
  spendSteps(site, value.length / 64)
  return countCharacters(value)
}
const sizeOf = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined)
const widthOf = (_: unknown, { members }: Site): number | undefined => members && namesOf(members).length

const matchesPattern = (text: string, pattern: string, site: Site): boolean => {
  spendSteps(site, text.length / 16)
  return site.evaluation.matches(pattern, text)
}

const hasFormat = (text: string, name: string, site: Site): boolean => site.evaluation.hasFormat(name, text)

/** Checks whether a value equals one of some JSON values. */
function isAmong(value: unknown, values: readonly unknown[]): boolean {
  if (typeof value !== "object" || value === null) return values.includes(value)
  return values.some((each) => sameValue(each, value))
}

/** Counts a text's characters as JSON Schema does: by code points. */
function countCharacters(text: string): number {
  let count = text.length
  for (let index = 0; index < text.length; index += 1) {
    const code = text.codePointAt(index) ?? 0
    if (code <= 0xffff) continue
    count -= 1
    index += 1
  }
  return count
}

/** Checks whether a number is a multiple of another, in decimal notation. */
function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isInteger(value / divisor)) return Number.isInteger(divisor) || isDecimalMultiple(value, divisor)
  return !Number.isInteger(divisor) && Number.isFinite(value) && isDecimalMultiple(value, divisor)
}

function isDecimalMultiple(value: number, divisor: number): boolean {
  const [one, other] = [toDecimal(value), toDecimal(divisor)]
  const places = Math.max(one.places, other.places)
  const scaled = ({ digits, places: own }: Decimal): bigint => digits * 10n ** BigInt(places - own)
  return scaled(one) % scaled(other) === 0n
}

/** `digits` divided by ten to the power of `places`. */
interface Decimal {
  readonly digits: bigint
  readonly places: number
}

function toDecimal(value: number): Decimal {
  const [coefficient = "0", exponent = "0"] = String(value).split("e")
  const [whole = "0", fraction = ""] = coefficient.split(".")
  const places = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places }
}

/**
 * Finds the first two equal items. Its time and memory grow with the total size, not with its square.
 *
 * @param spend - Called with each step's cost; may throw.
 */
function findDuplicate(
  items: readonly unknown[],
  spend: (steps: number) => void,
): readonly [number, number] | undefined {
  const seen = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    // A text's key never equals one of a list or an object.
    const key =
      typeof item === "object" && item !== null ? canonical(item) : typeof item === "string" ? `"${item}` : item
    spend(typeof key === "string" ? 1 + key.length / 16 : 1)
    const before = seen.get(key)
    if (before !== undefined) return [before, index]
    seen.set(key, index)
  }
  return undefined
}

/** Returns JSON with sorted member names, equal for equal values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? "null"
  const names = namesOf(value).sort(compareText)
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`
}

/** Rules of keywords about a value itself. */
export const valueRules: readonly (readonly [string, Rule])[] = [
  ["type", toType],
  ["enum", toEnum],
  ["const", toConst],
  ["minimum", ofNumbers((value, least) => value >= least, "at least")],
  ["maximum", ofNumbers((value, most) => value <= most, "at most")],
  ["exclusiveMinimum", ofNumbers((value, bound) => value > bound, "more than")],
  ["exclusiveMaximum", ofNumbers((value, bound) => value < bound, "less than")],
  ["multipleOf", ofNumbers(isMultipleOf, "a multiple of")],
  ["minLength", ofCounts(lengthOf, "at least", "characters")],
  ["maxLength", ofCounts(lengthOf, "at most", "characters")],
  ["pattern", ofTexts(matchesPattern, "pattern")],
  ["format", ofTexts(hasFormat, "format")],
  ["minItems", ofCounts(sizeOf, "at least", "items")],
  ["maxItems", ofCounts(sizeOf, "at most", "items")],
  ["uniqueItems", toUniqueItems],
  ["minProperties", ofCounts(widthOf, "at least", "properties")],
  ["maxProperties", ofCounts(widthOf, "at most", "properties")],
]
