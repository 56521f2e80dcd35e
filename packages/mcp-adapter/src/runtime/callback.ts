import type { Principal } from "@x/agentic-service"
import { findPrincipalFault, findScopesFault } from "@x/agentic-service/adapter"
import { hasMethod, showShort, toMessage } from "@x/base"
import { AdapterError } from "../adapter-error.js"
import type { Report } from "./diagnostic.js"

/**
 * Runs a function that the application passed as an option.
 *
 * @param name - The option's name, for the operator.
 * @throws AdapterError `callback_failed`, which names the function and has the thrown value as its cause.
 */
export async function runCallback<Result>(name: string, run: () => Result): Promise<Awaited<Result>> {
  try {
    return await run()
  } catch (cause) {
    throw toCallbackError(name, cause)
  }
}

/** Creates an error that names the function that threw, unless an inner function has already been named. */
export function toCallbackError(name: string, cause: unknown): AdapterError {
  if (cause instanceof AdapterError) return cause
  return new AdapterError(`"${name}" threw`, { code: "callback_failed", cause })
}

/** Creates the error for an invalid result of an application's function. */
export function refuseAnswer(name: string, fault: string): AdapterError {
  return new AdapterError(`"${name}" returned ${fault}`, { code: "callback_failed" })
}

/** @throws AdapterError `callback_failed` for an invalid principal. */
export function checkPrincipal(name: string, value: unknown): Principal {
  const fault = findPrincipalFault(value)
  if (fault !== undefined) throw refuseAnswer(name, `an invalid principal: ${fault}`)
  return value as Principal // checked above
}

/**
 * Checks a principal passed directly as an option.
 *
 * @throws AdapterError `invalid_option` for an invalid principal.
 */
export function checkGivenPrincipal(where: string, value: unknown): void {
  const fault = value === undefined ? undefined : findPrincipalFault(value)
  if (fault !== undefined)
    throw new AdapterError(`the principal of "${where}" is invalid: ${fault}`, { code: "invalid_option" })
}

/**
 * Wraps an application's filter so that it always returns a boolean. Any result but a boolean, and any throw, hides the entry
 * and is reported, once for each kind of mistake.
 */
export function toSureFilter<Args extends readonly unknown[]>(
  name: string,
  filter: (...args: Args) => unknown,
  report: Report,
): (...args: Args) => boolean {
  const tell = createTellOnce(report)
  return (...args) => {
    try {
      const answer = filter(...args)
      if (typeof answer === "boolean") return answer
      tell(refuseAnswer(name, `${showAnswer(answer)}: expected true or false, so the entry is hidden`))
    } catch (cause) {
      tell(toCallbackError(name, cause))
    }
    return false
  }
}

/** Makes a function that chooses answer for sure: a throw chooses `otherwise`, and is reported once for each kind of mistake. */
export function toSureChoice<Args extends readonly unknown[], Choice>(
  name: string,
  choose: (...args: Args) => Choice,
  { otherwise, report }: { readonly otherwise: Choice; readonly report: Report },
): (...args: Args) => Choice {
  const tell = createTellOnce(report)
  return (...args) => {
    try {
      return choose(...args)
    } catch (cause) {
      tell(toCallbackError(name, cause))
      return otherwise
    }
  }
}

/**
 * Wraps an application's function that returns services, and checks its result.
 *
 * @param toResult - Throws for an invalid service.
 * @throws AdapterError `callback_failed` for a throw, or an invalid service: the request is then refused.
 */
export function toSureSource<Args extends readonly unknown[], Given, Result>(
  name: string,
  give: (...args: Args) => Given,
  toResult: (given: Given) => Result,
): (...args: Args) => Result {
  return (...args) => {
    const given = runSync(name, () => give(...args))
    if (hasMethod(given, "then")) throw refuseAnswer(name, `${showAnswer(given)}: expected a service`)
    try {
      return toResult(given)
    } catch (cause) {
      throw refuseAnswer(name, `no service: ${toMessage(cause)}`)
    }
  }
}

/**
 * Wraps an application's function that names scopes, and checks its result.
 *
 * @throws AdapterError `callback_failed` for a throw, or an invalid list of scopes: the call is then refused.
 */
export function toSureScopes<Args extends readonly unknown[]>(
  name: string,
  scopesOf: (...args: Args) => unknown,
): (...args: Args) => readonly string[] {
  return (...args) => {
    const scopes = runSync(name, () => scopesOf(...args))
    const fault = hasMethod(scopes, "then") ? `${showAnswer(scopes)}: expected a list` : findScopesFault(scopes)
    if (fault !== undefined) throw refuseAnswer(name, `invalid scopes: ${fault}`)
    return scopes as readonly string[] // checked above
  }
}

/**
 * Runs an application's synchronous function.
 *
 * @throws AdapterError `callback_failed`, which names the function.
 */
export function runSync<Result>(name: string, run: () => Result): Result {
  try {
    return run()
  } catch (cause) {
    throw toCallbackError(name, cause)
  }
}

/** Formats a result for an error message. A promise is not awaited, and its rejection must not end the process. */
function showAnswer(answer: unknown): string {
  if (!hasMethod(answer, "then")) return showShort(answer)
  Promise.resolve(answer).catch(() => undefined)
  return "a promise, which is not awaited"
}

/** Reports each mistake once: the same one may occur for every entry of every list. */
function createTellOnce(report: Report): (error: AdapterError) => void {
  const told = new Set<string>()
  return (error) => {
    if (told.has(error.message)) return
    if (told.size < MOST_TOLD) told.add(error.message)
    report({ code: "handler_failed", message: error.message, cause: error.cause ?? error })
  }
}

const MOST_TOLD = 100
