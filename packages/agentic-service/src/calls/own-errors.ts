import { memberOf } from "@x/base"
import { type Failed, type Failure, failure, isFailed } from "../outcome.js"
import { ServiceError } from "../service-error.js"

/** A class of errors, with any constructor. */
export type ErrorClass = abstract new (...input: never[]) => Error

/**
 * The author's own errors whose message is for the caller: their classes, or a function that returns a failure for a thrown
 * value, or `undefined` for errors that callers must not see.
 */
export type OwnErrors = readonly ErrorClass[] | ((thrown: unknown) => Failed | undefined)

/**
 * Converts a thrown value to a failure, or returns `undefined` when the caller must not see it. Throws when the author's
 * function does.
 */
export type ToFailure = (thrown: unknown) => Failure | undefined

/**
 * Creates the converter of an author's own errors.
 *
 * @throws ServiceError `invalid_definition` for anything but classes of errors or a function.
 */
export function createToFailure(errors: OwnErrors | undefined): ToFailure {
  if (errors === undefined) return () => undefined
  // Untyped code may give a single class, which is also a function, but cannot be called.
  const classes: readonly unknown[] | undefined = isErrorClass(errors)
    ? [errors]
    : Array.isArray(errors)
      ? errors
      : undefined
  if (classes !== undefined) return byClass(classes)
  if (typeof errors === "function") return (thrown) => fromMapping(errors(thrown))
  throw invalid(errors)
}

function byClass(classes: readonly unknown[]): ToFailure {
  const known = classes.map((each) => {
    if (isErrorClass(each)) return each
    throw invalid(each)
  })
  return (thrown) => {
    if (!known.some((each) => thrown instanceof each)) return undefined
    const [code, recovery] = ["code", "recovery"].map((key) => textOf(memberOf(thrown, key)))
    return failure(wordsOf(thrown), { ...(code && { code }), ...(recovery && { recovery }) })
  }
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === "function" && (value === Error || value.prototype instanceof Error)
}

function fromMapping(made: unknown): Failure | undefined {
  if (made === undefined || made === null) return undefined
  if (isFailed(made)) return failure(made.message, made)
  throw new ServiceError(`"errors" returned ${typeof made}, expected fail(…) or nothing`, {
    code: "invalid_definition",
  })
}

/** Returns an error's message, or its name when it has none. */
function wordsOf(thrown: unknown): string {
  const named = [memberOf(thrown, "message"), memberOf(memberOf(thrown, "constructor"), "name")]
  return named.map(textOf).find((text) => text !== undefined) ?? "the action failed"
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

function invalid(found: unknown): ServiceError {
  const name = typeof found === "function" ? `function "${found.name}"` : found === null ? "null" : typeof found
  return new ServiceError(`found ${name} in "errors", expected classes of errors, or a function`, {
    code: "invalid_definition",
  })
}
