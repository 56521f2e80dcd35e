import { memberOf } from "@x/tool-schemas/json"
import type { JsonSchema } from "@x/tool-schemas/normalise"
import { createCheck, createOutputCheck } from "../checks/create-check.js"
import { exportSchema } from "../checks/export-schema.js"
import { neverFits, neverFitsInput } from "../checks/never-fits.js"
import type { CheckedActionOptions } from "../declare.js"
import type { AnySchema } from "../infer.js"
import type { Outcome } from "../outcome.js"
import type { ActionDefinition, Hints } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { Callable } from "./execute-action.js"
import { checkAsk, checkConfirm } from "./questions.js"
import { type Run, runAction } from "./run-action.js"

/** What the actions of a service have in common. */
export type ActionSite = Pick<Run, "report" | "toFailure">

/**
 * Makes a declared action callable.
 *
 * @throws ServiceError `invalid_definition` where it cannot be: no description, no `execute`, a schema that is none, that cannot
 * check, or that nothing fits.
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
      runAction(
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
  }
}

function declares(schema: unknown, key: string): boolean {
  return memberOf(memberOf(schema, "properties"), key) !== undefined
}

/** An action that nobody can call, or that can return nothing, is told when it is declared, not at every call. */
function exportFitting(schema: AnySchema, direction: "input" | "output"): JsonSchema {
  const exported = exportSchema(schema, direction)
  const why = direction === "input" ? neverFitsInput(exported) : neverFits(exported)
  if (why === undefined) return exported
  throw new ServiceError(`no value fits its ${direction} schema: ${why}`, { code: "invalid_definition" })
}

/** An author who does not call an action destructive says that it is not; one who says `undefined` does not know. */
function toHints(given: Hints): Hints {
  const { readOnly, destructive = "destructive" in given ? undefined : false, idempotent, openWorld } = given
  return {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(openWorld === undefined ? {} : { openWorld }),
  }
}

/** Refuses a part of a declaration that is of another type. */
export function expectType(found: unknown, expected: string, name: string): void {
  if (typeof found === expected) return
  throw new ServiceError(`found ${typeof found} as "${name}", expected a ${expected}`, { code: "invalid_definition" })
}
