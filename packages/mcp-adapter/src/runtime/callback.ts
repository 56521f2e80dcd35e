import type { Principal } from "@x/agentic-service"
import { findPrincipalFault, findScopesFault } from "@x/agentic-service/adapter"
import { hasMethod, showShort } from "@x/tool-schemas/json"
import { AdapterError } from "../adapter-error.js"
import type { Report } from "./diagnostic.js"

/**
 * Runs a function that the application gave as an option.
 *
 * @param name - The option's name, for the operator.
 * @throws AdapterError `callback_failed`, which names the function; its cause is what was thrown.
 */
export async function runCallback<Result>(name: string, run: () => Result): Promise<Awaited<Result>> {
  try {
    return await run()
  } catch (cause) {
    throw toCallbackError(name, cause)
  }
}

/** Names the function that threw, unless a function inside it was named already. */
export function toCallbackError(name: string, cause: unknown): AdapterError {
  if (cause instanceof AdapterError) return cause
  return new AdapterError("callback_failed", `"${name}" threw`, { cause })
}

/** Refuses what a function of the application gave. */
export function refuseAnswer(name: string, fault: string): AdapterError {
  return new AdapterError("callback_failed", `"${name}" gave ${fault}`)
}

/** @throws AdapterError `callback_failed` for what is no principal. */
export function checkPrincipal(name: string, value: unknown): Principal {
  const fault = findPrincipalFault(value)
  if (fault !== undefined) throw refuseAnswer(name, `a principal that is none, ${fault}`)
  return value as Principal // what the line above has looked at
}

/**
 * Checks a principal that is given as it is, and by no function.
 *
 * @throws AdapterError `invalid_option` for what is none.
 */
export function checkGivenPrincipal(where: string, value: unknown): void {
  const fault = value === undefined ? undefined : findPrincipalFault(value)
  if (fault !== undefined) throw new AdapterError("invalid_option", `the principal of "${where}" is none: ${fault}`)
}

/**
 * Makes a filter of the application answer for sure: only `true` lets through. Anything else that is not `false`, and a throw,
 * hides the entry and is reported, once for each kind of mistake.
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
      tell(refuseAnswer(name, `${showAnswer(answer)}: expected true or false, so what it was asked about is hidden`))
    } catch (cause) {
      tell(toCallbackError(name, cause))
    }
    return false
  }
}

/**
 * Makes a function that names scopes answer for sure.
 *
 * @throws AdapterError `callback_failed` for a throw, or for what is no list of scopes: the call is refused then.
 */
export function toSureScopes<Args extends readonly unknown[]>(
  name: string,
  scopesOf: (...args: Args) => unknown,
): (...args: Args) => readonly string[] {
  return (...args) => {
    const scopes = runSync(name, () => scopesOf(...args))
    const fault = hasMethod(scopes, "then") ? `${showAnswer(scopes)}: expected a list` : findScopesFault(scopes)
    if (fault !== undefined) throw refuseAnswer(name, `scopes that are none, ${fault}`)
    return scopes as readonly string[] // what the line above has looked at
  }
}

function runSync<Result>(name: string, run: () => Result): Result {
  try {
    return run()
  } catch (cause) {
    throw toCallbackError(name, cause)
  }
}

/** Shows an answer. A promise is not waited for, and its rejection must not end the process. */
function showAnswer(answer: unknown): string {
  if (!hasMethod(answer, "then")) return showShort(answer)
  Promise.resolve(answer).catch(() => undefined)
  return "a promise, which is not waited for"
}

/** Reports each mistake once: the same one may be made for every entry of every list. */
function createTellOnce(report: Report): (error: AdapterError) => void {
  const told = new Set<string>()
  return (error) => {
    if (told.has(error.message)) return
    if (told.size < MOST_TOLD) told.add(error.message)
    report({ code: "handler_failed", message: error.message, cause: error.cause ?? error })
  }
}

const MOST_TOLD = 100
