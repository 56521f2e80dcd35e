import type { JsonSchema } from "@x/tool-schemas"
import { memberOf } from "@x/tool-schemas/json"
import { type Callable, type Callee, followActions } from "../calls/execute-action.js"
import type { ToFailure } from "../calls/own-errors.js"
import { runAction } from "../calls/run-action.js"
import { type Check, createCheck, createJsonCheck } from "../checks/create-check.js"
import type { ExecuteContext } from "../execute-context.js"
import { type Failed, type Failure, fail, type Outcome } from "../outcome.js"
import type { Report } from "../report.js"
import type { Action, Hints } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { ForeignService } from "./recognise-service.js"

/**
 * Takes foreign actions: `{ description?, parameters, execute }`, or with one `schema` (`false`: none) instead of
 * parameters. The action of an entry stays the same object while the entry does.
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
  /** What is known of an action, by its key. */
  readonly hints?: ((key: string) => Hints | undefined) | undefined
  /** Is told what callers must not see. */
  readonly report: Report
  /** Tells errors whose words are for the caller. */
  readonly toFailure: ToFailure
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
type Runner = (call: ForeignCall, context: ExecuteContext) => Promise<Outcome>

/**
 * Makes the runner of a service's actions. Each call looks the action up again, because a foreign action does not
 * look at its condition itself. What takes several parameters can only be called on the action; all else goes
 * through the service, whose contract that is.
 *
 * @param entryOf - The foreign entry an action was made of.
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
    runAction({ key: request.key, unanswered: false, report, toFailure, run: () => run(request) }, context)
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
  /** The schema of the input: an object with one property a parameter; `undefined` where there are none. */
  readonly schema: JsonSchema | undefined
  /** Checks the input. */
  readonly check: Check
  /** Puts a checked input back into positions. */
  toPositions(input: unknown): readonly unknown[]
}

/**
 * Makes one input of positional parameters. A single plain object is the input itself. Otherwise every parameter
 * is a property: named after its title, required unless it has a default, which is then filled in.
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

/** A combination at the root may say "or something else", so only an object without one is an input by itself. */
function isPlainObjectSchema(schema: unknown): schema is JsonSchema {
  return memberOf(schema, "type") === "object" && !combinators.some((keyword) => hasOwn(schema, keyword))
}

const combinators = ["oneOf", "anyOf", "allOf", "not", "if"]

/** Makes the default anew each time, so that no call can change it for the next; none where it does not fit. */
function defaultOf(schema: unknown): (() => unknown) | undefined {
  const value = hasOwn(schema, "default") ? memberOf(schema, "default") : undefined
  if (!isJson(value) || !isJsonSchema(schema) || !isOfNamedType(value, memberOf(schema, "type"))) return undefined
  return () => structuredClone(value)
}

/** As much as can be told of a default before what checks schemas is loaded; {@link checkDefaults} asks for the rest. */
function isOfNamedType(value: unknown, type: unknown): boolean {
  const own = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  return [type].flat().some((name) => name === undefined || name === own || (name === "integer" && own === "number"))
}

/** What is left out gets its default, which has to fit as well. */
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

/** `$ref`s that start at the root of a parameter must find what they name at the new root. */
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
 * Names positional parameters: each after its title, made legal (`[A-Za-z0-9_]`, at most 64) and unique;
 * without a title `value` where it is alone, else `arg1`, `arg2` and so on by position.
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

/** Tells a value that JSON carries unchanged; a cycle is none. */
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
