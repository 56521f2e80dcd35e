import { memberOf } from "@x/base"
import type { JsonSchema } from "@x/tool-schemas"
import { type Callable, type Callee, followActions } from "../calls/execute-action.js"
import type { ToFailure } from "../calls/own-errors.js"
import { runExecute } from "../calls/run-execute.js"
import { type Check, createCheck, createJsonCheck } from "../checks/create-check.js"
import type { ExecuteContext } from "../execute-context.js"
import { type Failed, type Failure, fail, type Outcome } from "../outcome.js"
import type { Report } from "../report.js"
import type { Action, Hints } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { ForeignService } from "./recognise-service.js"

/**
 * Creates a converter of foreign actions: `{ description?, parameters, execute }`, or with one `schema` (`false`: none) instead
 * of parameters. An entry's action stays the same object while the entry does.
 */
export function createForeignActions(calls: ForeignCalls): (entry: unknown, key: string) => Callable<Outcome> {
  const known = new WeakMap<object, Map<string, Callable<Outcome>>>()
  const entries = new WeakMap<Action, object>()
  const { hints } = calls
  const run = createRunner(calls, (action) => entries.get(action))

  return (entry, key) => {
    if (typeof entry !== "object" || entry === null) throw invalid(`found ${typeof entry}, expected an action`)
    if (typeof memberOf(entry, "execute") !== "function") throw invalid('found an action without a function "execute"')
    const byKey = known.get(entry) ?? new Map<string, Callable<Outcome>>()
    known.set(entry, byKey)
    const action = byKey.get(key) ?? toAction(entry, key, { run, hints: hints?.(key) ?? {} })
    byKey.set(key, action)
    entries.set(action, entry)
    return action
  }
}

function toAction(
  entry: object,
  key: string,
  { run, hints }: { readonly run: Runner; readonly hints: Hints },
): Callable<Outcome> {
  const { schema, check, toPositions } = toParameters(parametersOf(entry))
  const title = memberOf(entry, "title")
  const description = memberOf(entry, "description")
  return {
    ...(typeof title === "string" ? { title } : {}),
    description: typeof description === "string" && description !== "" ? description : `Runs "${key}".`,
    schema,
    hints,
    check,
    execute: (input, context) => run({ key, values: toPositions(input) }, context),
  }
}

/**
 * Returns an action's parameters. `@adobe/data` before 0.9.54, and the original interface, have one `schema`; a missing one
 * means `false`.
 */
function parametersOf(entry: object): readonly unknown[] {
  const parameters = memberOf(entry, "parameters")
  if (Array.isArray(parameters)) return parameters
  const schema = memberOf(entry, "schema")
  return schema === undefined || schema === null || schema === false ? [] : [schema]
}

function invalid(message: string): ServiceError {
  return new ServiceError(message, { code: "invalid_definition" })
}

/** Context of foreign actions. */
interface ForeignCalls {
  /** The foreign service. */
  readonly foreign: ForeignService
  /** Whether a returned string is an error message. */
  readonly stringsAreErrors: boolean
  /** Returns the known hints of an action, by key. */
  readonly hints?: ((key: string) => Hints | undefined) | undefined
  /** Reports details that callers must not see. */
  readonly report: Report
  /** Converts errors whose message is for the caller. */
  readonly toFailure: ToFailure
  /** Returns the wrapping service, to look up actions in. */
  callee(): Callee
}

/** A call of a foreign action. */
interface ForeignCall {
  /** The action's key. */
  readonly key: string
  /** The checked values, by position. */
  readonly values: readonly unknown[]
}

/** Runs a foreign action. Never rejects. */
type Runner = (call: ForeignCall, context: ExecuteContext) => Promise<Outcome>

/**
 * Creates the runner of a service's actions. Each call looks up the action again, because foreign actions do not check their
 * own condition. Actions with several parameters can only be called directly; all others go through the service, as its
 * contract requires.
 *
 * @param entryOf - Returns an action's foreign entry.
 */
function createRunner(calls: ForeignCalls, entryOf: (action: Action) => object | undefined): Runner {
  const { foreign, report, toFailure, stringsAreErrors } = calls

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
  return (request, context) =>
    runExecute({ key: request.key, unanswered: false, report, toFailure, run: () => run(request) }, context)
}

function callEntry(entry: object | undefined, values: readonly unknown[]): unknown {
  const execute = memberOf(entry, "execute")
  return typeof execute === "function" ? Reflect.apply(execute, entry, values) : undefined
}

function toFailed({ message, ...options }: Failure): Failed {
  return fail(message, options)
}

/** Positional parameters as one input. */
interface Parameters {
  /** The input's schema: an object with one property per parameter; `undefined` without parameters. */
  readonly schema: JsonSchema | undefined
  /** Checks the input. */
  readonly check: Check
  /** Converts a checked input back to positions. */
  toPositions(input: unknown): readonly unknown[]
}

/**
 * Converts positional parameters to one input. A single plain object is the input itself. Otherwise every parameter becomes a
 * property, named after its title and required unless it has a default, which is filled in.
 */
export function toParameters(schemas: readonly unknown[]): Parameters {
  const [first] = schemas
  if (schemas.length === 0) return { schema: undefined, check: createCheck(undefined), toPositions: () => [] }
  if (schemas.length === 1 && isPlainObjectSchema(first))
    return { schema: first, check: createJsonCheck(first), toPositions: (input) => [input] }

  const names = nameArguments(schemas)
  const named = names.map((name, index) => ({ name, schema: schemas[index], fallback: defaultOf(schemas[index]) }))
  const required = named.filter(({ fallback }) => fallback === undefined).map(({ name }) => name)
  const schema = {
    type: "object",
    properties: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
    required,
    additionalProperties: false,
    ...hoistDefinitions(schemas),
  }
  const toPositions = (input: unknown): readonly unknown[] =>
    named.map(({ name, fallback }) => (hasOwn(input, name) ? memberOf(input, name) : fallback?.()))
  return { schema, check: checkDefaults(createJsonCheck(schema), named), toPositions }
}

/**
 * Checks for an object schema without combinators, since those may allow other types. Only such a schema is an input by itself.
 */
function isPlainObjectSchema(schema: unknown): schema is JsonSchema {
  return memberOf(schema, "type") === "object" && !combinators.some((keyword) => hasOwn(schema, keyword))
}

const combinators = ["oneOf", "anyOf", "allOf", "not", "if"]

/** Returns a factory of defaults, because calls may modify their copy. Returns `undefined` for a default that does not fit. */
function defaultOf(schema: unknown): (() => unknown) | undefined {
  const value = hasOwn(schema, "default") ? memberOf(schema, "default") : undefined
  if (!isJson(value) || !isJsonSchema(schema) || !isOfNamedType(value, memberOf(schema, "type"))) return undefined
  return () => structuredClone(value)
}

/** Checks a default's type, as far as possible before the schema engine is loaded; {@link checkDefaults} checks the rest. */
function isOfNamedType(value: unknown, type: unknown): boolean {
  const own = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  return [type].flat().some((name) => name === undefined || name === own || (name === "integer" && own === "number"))
}

/** Checks the defaults of omitted parameters as well. */
function checkDefaults(check: Check, parameters: readonly Parameter[]): Check {
  const defaults = parameters.flatMap(({ name, schema, fallback }) =>
    fallback !== undefined && isJsonSchema(schema) ? [{ name, fallback, check: createJsonCheck(schema) }] : [],
  )
  if (defaults.length === 0) return check
  return async (input) => {
    const checked = await check(input)
    if (!checked.ok) return checked
    for (const { name, fallback, check: checkOne } of defaults) {
      if (hasOwn(input, name) || (await checkOne(fallback())).ok) continue
      return { ok: false, issues: [{ path: [name], message: "is missing, and its default does not fit its schema" }] }
    }
    return checked
  }
}

/** One of several parameters. */
interface Parameter {
  readonly name: string
  readonly schema: unknown
  readonly fallback: (() => unknown) | undefined
}

/** Copies definitions, so that `$ref`s from a parameter's root resolve at the new root. */
function hoistDefinitions(schemas: readonly unknown[]): Record<string, unknown> {
  const hoisted: Record<string, unknown> = {}
  for (const keyword of ["$defs", "definitions"]) {
    const definitions = schemas.map((schema) => memberOf(schema, keyword)).filter((found) => typeof found === "object")
    if (definitions.length > 0) hoisted[keyword] = Object.assign({}, ...definitions.reverse())
  }
  return hoisted
}

function isJsonSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === "boolean" || (typeof schema === "object" && schema !== null)
}

function hasOwn(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
}

/**
 * Names positional parameters: by title, made legal (`[A-Za-z0-9_]`, at most 64) and unique; without a title `value` for a
 * single parameter, else `arg1`, `arg2` and so on by position.
 */
export function nameArguments(schemas: readonly unknown[]): readonly string[] {
  const taken = new Set<string>()
  return schemas.map((schema, index) => {
    const fallback = schemas.length === 1 ? "value" : `arg${index + 1}`
    const name = makeUnique(fromTitle(memberOf(schema, "title")) || fallback, taken)
    taken.add(name)
    return name
  })
}

function fromTitle(title: unknown): string {
  if (typeof title !== "string") return ""
  const legal = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
  return legal.replaceAll(/^_+|_+$/g, "").slice(0, 64)
}

function makeUnique(name: string, taken: ReadonlySet<string>): string {
  for (let count = 2, candidate = name; ; count += 1) {
    if (!taken.has(candidate)) return candidate
    candidate = `${name.slice(0, 60)}_${count}`
  }
}

/** Checks whether JSON carries a value unchanged; cyclic values fail. */
function isJson(value: unknown, inside: ReadonlySet<unknown> = new Set()): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || inside.has(value)) return false

  const within = new Set(inside).add(value)
  if (Array.isArray(value)) return value.every((item) => isJson(item, within))
  const prototype: unknown = Object.getPrototypeOf(value)
  const plain = prototype === Object.prototype || prototype === null
  return plain && Object.values(value).every((item) => isJson(item, within))
}
