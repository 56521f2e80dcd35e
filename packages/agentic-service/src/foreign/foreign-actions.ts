import { type Callable, type Callee, followActions } from "../calls/execute-action.js"
import { runAction } from "../calls/run-action.js"
import { createCheck } from "../checks/create-check.js"
import { createJsonCheck } from "../checks/json-check.js"
import { memberOf } from "../member-of.js"
import { type Failed, type Failure, fail, type Outcome } from "../outcome.js"
import type { Report } from "../report.js"
import type { Action } from "../service.js"
import { ServiceError } from "../service-error.js"
import { toParameters } from "./parameters.js"
import type { ForeignService } from "./recognise-service.js"

/**
 * Takes foreign actions: `{ description?, parameters, execute }`, or with one `schema` (`false`: none) instead of
 * parameters. The action of an entry stays the same object while the entry does.
 */
export function createForeignActions(calls: ForeignCalls): (entry: unknown, key: string) => Callable<Outcome> {
  const known = new WeakMap<object, Map<string, Callable<Outcome>>>()
  const entries = new WeakMap<Action, object>()
  const run = createRunner(calls, (action) => entries.get(action))

  return (entry, key) => {
    if (typeof entry !== "object" || entry === null) throw invalid(`found ${typeof entry}, expected an action`)
    if (typeof memberOf(entry, "execute") !== "function") throw invalid('found an action without a function "execute"')
    const byKey = known.get(entry) ?? new Map<string, Callable<Outcome>>()
    known.set(entry, byKey)
    const action = byKey.get(key) ?? toAction(entry, key, run)
    byKey.set(key, action)
    entries.set(action, entry)
    return action
  }
}

function toAction(entry: object, key: string, run: Runner): Callable<Outcome> {
  const { schema, toPositions } = toParameters(parametersOf(entry))
  const title = memberOf(entry, "title")
  const description = memberOf(entry, "description")
  return {
    ...(typeof title === "string" ? { title } : {}),
    description: typeof description === "string" && description !== "" ? description : `Runs "${key}".`,
    schema,
    hints: {},
    check: schema === undefined ? createCheck(undefined) : createJsonCheck(schema),
    execute: (input, context) => run({ key, values: toPositions(input) }, context.signal),
  }
}

/** `@adobe/data` before 0.9.54, and the original interface, have one `schema`; a missing one says as much as `false`. */
function parametersOf(entry: object): readonly unknown[] {
  const parameters = memberOf(entry, "parameters")
  if (Array.isArray(parameters)) return parameters
  const schema = memberOf(entry, "schema")
  return schema === undefined || schema === null || schema === false ? [] : [schema]
}

function invalid(message: string): ServiceError {
  return new ServiceError(message, { code: "invalid_definition" })
}

/** What foreign actions need to run. */
interface ForeignCalls {
  /** Whose actions they are. */
  readonly foreign: ForeignService
  /** Whether a string that an action returns is an error message. */
  readonly stringsAreErrors: boolean
  /** Is told what callers must not see. */
  readonly report: Report
  /** The wrapping service, to look actions up in. */
  callee(): Callee
}

/** A call of a foreign action. */
interface ForeignCall {
  /** The action's key. */
  readonly key: string
  /** Checked values by position. */
  readonly values: readonly unknown[]
}

/** Runs a foreign action. Never rejects. */
type Runner = (call: ForeignCall, signal: AbortSignal) => Promise<Outcome>

/**
 * Makes the runner of a service's actions. Each call looks the action up again, because a foreign action does not
 * look at its condition itself. What takes several parameters can only be called on the action; all else goes
 * through the service, whose contract that is.
 *
 * @param entryOf - The foreign entry an action was made of.
 */
function createRunner(calls: ForeignCalls, entryOf: (action: Action) => object | undefined): Runner {
  const { foreign, report, stringsAreErrors } = calls

  const call = ({ key, values }: ForeignCall): unknown => {
    const live = followActions(calls.callee())
    try {
      const action = live.find(key)
      if (!action) return toFailed(live.explain(key))
      return values.length > 1 ? callEntry(entryOf(action), values) : foreign.execute(key, values[0])
    } finally {
      live.release()
    }
  }
  const run = async (request: ForeignCall): Promise<unknown> => {
    const returned = await call(request)
    if (returned instanceof Error) return fail(returned.message)
    return typeof returned === "string" && stringsAreErrors ? fail(returned || "action failed") : returned
  }
  return (request, signal) =>
    runAction({ key: request.key, unanswered: false, report, run: () => run(request) }, signal)
}

function callEntry(entry: object | undefined, values: readonly unknown[]): unknown {
  const execute = memberOf(entry, "execute")
  return typeof execute === "function" ? Reflect.apply(execute, entry, values) : undefined
}

function toFailed({ message, ...options }: Failure): Failed {
  return fail(message, options)
}
