import type { Arguments } from "../../calls/active-call.js"

/** Whether the arguments have no other names than these. */
export function onlyHas(args: Arguments, names: readonly string[]): boolean {
  return Object.keys(args).every((key) => names.includes(key))
}

/** Whether an argument is a string, or left out. */
export function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string"
}

/** Whether an argument is a whole number that is not negative, or left out. */
export function isOptionalCount(value: unknown): value is number | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)
}

/** Whether an argument is a list of strings, or left out. */
export function isOptionalStrings(value: unknown): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((item) => typeof item === "string"))
}

/** Whether an argument is an object, or left out. */
export function isOptionalObject(value: unknown): value is Arguments | undefined {
  return value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value))
}
