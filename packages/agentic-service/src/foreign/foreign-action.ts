import { createCheck } from "../checks/create-check.js"
import { createJsonCheck } from "../checks/json-check.js"
import type { Action } from "../service.js"
import { ServiceError } from "../service-error.js"
import { memberOf } from "../sources/member-of.js"
import { createRunner, type ForeignCalls, type Runner } from "./foreign-runner.js"
import { toParameters } from "./parameters.js"

/**
 * Takes foreign actions: `{ description?, parameters, execute }`, or with one `schema` (`false`: none) instead of
 * parameters. The action of an entry stays the same object while the entry does.
 */
export function createForeignActions(calls: ForeignCalls): (entry: unknown, key: string) => Action {
  const known = new WeakMap<object, Map<string, Action>>()
  const entries = new WeakMap<Action, object>()
  const run = createRunner(calls, (action) => entries.get(action))

  return (entry, key) => {
    if (typeof entry !== "object" || entry === null) throw invalid(`found ${typeof entry}, expected an action`)
    if (typeof memberOf(entry, "execute") !== "function") throw invalid('found an action without a function "execute"')
    const byKey = known.get(entry) ?? new Map<string, Action>()
    known.set(entry, byKey)
    const action = byKey.get(key) ?? toAction(entry, key, run)
    byKey.set(key, action)
    entries.set(action, entry)
    return action
  }
}

function toAction(entry: object, key: string, run: Runner): Action {
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
