import { isRecord } from "./json-value.js"

/**
 * The rule of one option. Absent and `undefined` options are always valid.
 *
 * - `any`: any value; its user checks it.
 * - `text`, `flag`, `function`, `object`: a string, a boolean, a function, an object other than a list.
 * - a list: one of its values.
 * - `{ from, to?, whole? }`: a number within both bounds, inclusive; `whole` excludes fractions.
 * - `{ options, or? }`: nested options; `or` also allows a flag.
 */
export type OptionRule =
  | "any"
  | "text"
  | "flag"
  | "function"
  | "object"
  | readonly (string | number | boolean)[]
  | NumberRule
  | {
      /** The rules of the nested options. */
      readonly options: OptionRules
      /** The allowed alternative to the options. Default: none. */
      readonly or?: "flag"
    }

/** A number's bounds. */
export interface NumberRule {
  /** The minimum. */
  readonly from: number
  /** The maximum. Default: none. */
  readonly to?: number
  /** Whether fractions are excluded. Default `false`. */
  readonly whole?: boolean
}

/** The rule of each option, by name. The type `Record<keyof Options, OptionRule>` ensures completeness. */
export type OptionRules = Readonly<Record<string, OptionRule>>

/**
 * Finds the fault of options from possibly untyped code: an unknown name, or an impossible value. Returns `undefined` for valid
 * options.
 *
 * @param rules - The rules of all options.
 * @param within - The name of the enclosing option, which precedes their own names. Default: none.
 * @returns A message for the author: the option, the value found and the values expected.
 * @example
 * ```ts
 * import { findOptionFault } from "@x/base"
 *
 * const rules = { pageSize: { from: 1, whole: true } }
 * console.log(findOptionFault({ pageSize: -1 }, rules)) // option "pageSize" is -1: expected a whole number from 1
 * console.log(findOptionFault({ size: 1 }, rules)) // there is no option "size": expected one of "pageSize"
 * ```
 */
export function findOptionFault(options: unknown, rules: OptionRules, within = ""): string | undefined {
  if (options === undefined) return undefined
  if (!isRecord(options)) {
    const what = within === "" ? "the options are" : `option "${within}" is`
    return `${what} ${showShort(options)}: expected an object`
  }
  const faults = Object.entries(options).map(([name, value]) => {
    const full = within === "" ? name : `${within}.${name}`
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    return rule === undefined ? unknownOption(full, Object.keys(rules)) : findFault(full, value, rule)
  })
  return faults.find((fault) => fault !== undefined)
}

/**
 * Adds defaults to options; `undefined` counts as missing.
 *
 * @example
 * ```ts
 * import { withDefaults } from "@x/base"
 *
 * const limits: Partial<{ tabs: number; apps: number }> = { tabs: 5 }
 * console.log(withDefaults({ tabs: 20, apps: 10 }, limits)) // { tabs: 5, apps: 10 }
 * ```
 */
export function withDefaults<Options extends object>(defaults: Options, given: Partial<Options> = {}): Options {
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(said) }
}

function unknownOption(name: string, known: readonly string[]): string {
  return `there is no option "${name}": expected one of "${known.join('", "')}"`
}

function findFault(name: string, value: unknown, rule: OptionRule): string | undefined {
  if (value === undefined || rule === "any") return undefined
  if (typeof rule === "object" && "options" in rule) {
    return rule.or === "flag" && typeof value === "boolean" ? undefined : findOptionFault(value, rule.options, name)
  }
  const expected = expectation(value, rule)
  return expected && `option "${name}" is ${showShort(value)}: expected ${expected}`
}

/** Returns the expectation that a value violates, or `undefined` for a valid one. */
function expectation(
  value: unknown,
  rule: Exclude<OptionRule, "any" | { readonly options: OptionRules; readonly or?: "flag" }>,
): string | undefined {
  switch (rule) {
    case "text":
      return typeof value === "string" ? undefined : "a string"
    case "flag":
      return typeof value === "boolean" ? undefined : "true or false"
    case "function":
      return typeof value === "function" ? undefined : "a function"
    case "object":
      return isRecord(value) ? undefined : "an object"
    default:
      return "from" in rule ? expectNumber(value, rule) : expectChoice(value, rule)
  }
}

function expectNumber(
  value: unknown,
  { from, to = Number.POSITIVE_INFINITY, whole = false }: NumberRule,
): string | undefined {
  const good =
    typeof value === "number" &&
    value >= from &&
    value <= to &&
    (!whole || Number.isInteger(value) || value === Number.POSITIVE_INFINITY)
  if (good) return undefined
  return `a ${whole ? "whole " : ""}number from ${from}${to === Number.POSITIVE_INFINITY ? "" : ` to ${to}`}`
}

function expectChoice(value: unknown, choices: readonly (string | number | boolean)[]): string | undefined {
  return choices.some((choice) => choice === value) ? undefined : `one of ${choices.map(showShort).join(", ")}`
}

/**
 * Formats a value for a message in a few characters, because it may be large or secret.
 *
 * @example
 * ```ts
 * import { showShort } from "@x/base"
 *
 * console.log(showShort("read"), showShort([1]), showShort(null)) // "read" a list null
 * ```
 */
export function showShort(value: unknown): string {
  if (typeof value === "string") return value.length > SHOWN ? `"${value.slice(0, SHOWN)}…"` : `"${value}"`
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" && value !== null
    ? "an object"
    : typeof value === "function"
      ? "a function"
      : String(value)
}

const SHOWN = 40
