import { isRecord } from "./json-value.js"

/**
 * What one option may be; absent, `undefined` and what a rule does not tell apart are always good.
 *
 * - `any`: whatever it is; it is checked where it is used.
 * - `text`, `flag`, `function`, `object`: a string, a boolean, a function, an object that is no list.
 * - a list: one of its values.
 * - `{ from, to?, whole? }`: a number between these, both included; `whole` leaves fractions out.
 * - `{ options, or? }`: options of its own; with `or`, a flag may stand in their place.
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
      /** The rules of what is in it. */
      readonly options: OptionRules
      /** What may stand in the place of the options. Default: nothing. */
      readonly or?: "flag"
    }

/** A number's bounds. */
export interface NumberRule {
  /** The least it may be. */
  readonly from: number
  /** The most it may be. Default: any. */
  readonly to?: number
  /** Whether it has no fraction. Default `false`. */
  readonly whole?: boolean
}

/** The rule of each option, by name. Of type `Record<keyof Options, OptionRule>` it cannot forget one. */
export type OptionRules = Readonly<Record<string, OptionRule>>

/**
 * Finds what is wrong with options that may come from code without types: a name that is none of theirs, or a value that is
 * impossible. `undefined` where nothing is.
 *
 * @param rules - What there may be.
 * @param within - What names what the options belong to, in front of their own names. Default: nothing.
 * @returns Words for whoever wrote them: which, what was found, what was expected.
 * @example
 * ```ts
 * import { findOptionFault } from "@x/tool-schemas/json"
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

/** Options with the usual values where none are given; one that is given as `undefined` is not given. */
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

/** What is expected in place of a value; `undefined` where it is good. */
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
 * Shows a value in a message in a few characters: what it holds may be large, or secret.
 *
 * @example
 * ```ts
 * import { showShort } from "@x/tool-schemas/json"
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
