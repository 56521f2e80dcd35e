import { memberOf, showShort } from "@x/base"
import type { JsonSchema } from "@x/tool-schemas/normalise"
import { createCheck, createOutputCheck } from "../checks/create-check.js"
import { exportSchema } from "../checks/export-schema.js"
import { neverFits, neverFitsInput } from "../checks/never-fits.js"
import type { CheckedActionOptions } from "../declare.js"
import type { AnySchema } from "../infer.js"
import type { Outcome } from "../outcome.js"
import type { ActionDefinition, Hints, LongWork } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { Callable } from "./execute-action.js"
import { checkAsk, checkConfirm } from "./questions.js"
import { type Run, runExecute } from "./run-execute.js"

/** Properties that all actions of a service share. */
export type ActionSite = Pick<Run, "report" | "toFailure">

/**
 * Makes a declared action callable.
 *
 * @throws ServiceError `invalid_definition` for a missing description or `execute`, or for a schema that is invalid, cannot
 *   check, or accepts no value.
 */
export function createAction(key: string, options: CheckedActionOptions, site: ActionSite): Callable<Outcome> {
  const { confirm, ask } = options
  expectType(options.execute, "function", "execute")
  expectType(options.description, "string", "description")

  const checkOutput = options.output === undefined ? undefined : createOutputCheck(options.output)
  const asking = confirm !== undefined || ask !== undefined
  const definition = toDefinition(options)
  const ownContent = ["content", "isError"].some((key) => declares(definition.output, key))
  return {
    ...definition,
    check: createCheck(options.input),
    ...(confirm === undefined ? {} : { confirm: (input) => checkConfirm(key, confirm.call(options, input)) }),
    ...(ask === undefined ? {} : { ask: (input) => checkAsk(key, ask.call(options, input)) }),
    execute: (input, context) =>
      runExecute(
        {
          key,
          unanswered: asking && context.confirmed !== true,
          ...site,
          checkOutput,
          ownContent,
          run: () => options.execute(input, context),
        },
        context,
      ),
  }
}

function toDefinition({
  title,
  description,
  input,
  output,
  toolName,
  timeoutMs,
  idleMs,
  long,
  ...rest
}: CheckedActionOptions): ActionDefinition {
  return {
    ...(title === undefined ? {} : { title }),
    description,
    schema: input === undefined ? undefined : exportFitting(input, "input"),
    ...(output === undefined ? {} : { output: exportFitting(output, "output") }),
    hints: toHints(rest),
    ...(toolName === undefined ? {} : { toolName }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(long === undefined ? {} : { long: toLong(long) }),
  }
}

/** Rejects another kind of `long`, such as `false` in untyped code, which would otherwise count as long. */
function toLong(long: unknown): true | LongWork {
  if (long === true) return true
  const [ttlMs, tasksOnly] = [memberOf(long, "ttlMs"), memberOf(long, "tasksOnly")]
  const lives = typeof ttlMs === "number" && ttlMs > 0
  const fits = (lives || ttlMs === undefined) && (tasksOnly === true || (tasksOnly === undefined && lives))
  if (fits) return { ...(lives && { ttlMs }), ...(tasksOnly === true && { tasksOnly }) }
  const expected = "true, or an object with ttlMs, a number above 0, or tasksOnly: true"
  throw new ServiceError(`found ${showShort(long)} as "long", expected ${expected}`, { code: "invalid_definition" })
}

function declares(schema: unknown, key: string): boolean {
  return memberOf(memberOf(schema, "properties"), key) !== undefined
}

/**
 * Exports a schema. Reports an action that nobody can call, or that can return nothing, at declaration instead of every call.
 */
function exportFitting(schema: AnySchema, direction: "input" | "output"): JsonSchema {
  const exported = exportSchema(schema, direction)
  const why = direction === "input" ? neverFitsInput(exported) : neverFits(exported)
  if (why === undefined) return exported
  throw new ServiceError(`its ${direction} schema accepts no value: ${why}`, { code: "invalid_definition" })
}

/** Returns the published hints. A missing `destructive` means `false`; an explicit `undefined` means unknown. */
function toHints(given: Hints): Hints {
  const { readOnly, destructive = "destructive" in given ? undefined : false, idempotent, openWorld } = given
  return {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(openWorld === undefined ? {} : { openWorld }),
  }
}

/** Rejects a part of a declaration with another type. */
export function expectType(found: unknown, expected: string, name: string): void {
  if (typeof found === expected) return
  throw new ServiceError(`found ${typeof found} as "${name}", expected a ${expected}`, { code: "invalid_definition" })
}
