import { createCheck } from "../checks/create-check.js"
import { exportSchema } from "../checks/export-schema.js"
import { createOutputCheck } from "../checks/output-check.js"
import type { CheckedActionOptions } from "../declare/action.js"
import type { Report } from "../members/member.js"
import type { Action, ActionDefinition, Hints } from "../service.js"
import { ServiceError } from "../service-error.js"
import { runAction } from "./run-action.js"

/** Makes a declared action callable. Throws where it cannot be: no description, no `execute`, a schema that is none. */
export function createAction(key: string, options: CheckedActionOptions, report: Report): Action {
  const { confirm, ask } = options
  expectType(options.execute, "function", "execute")
  expectType(options.description, "string", "description")

  const checkOutput = options.output === undefined ? undefined : createOutputCheck(options.output)
  const asking = confirm !== undefined || ask !== undefined
  return {
    ...toDefinition(options),
    check: createCheck(options.input),
    ...(confirm === undefined ? {} : { confirm: (input) => confirm.call(options, input) }),
    ...(ask === undefined ? {} : { ask: (input) => ask.call(options, input) }),
    execute: (input, context) =>
      runAction(
        {
          key,
          unanswered: asking && context.confirmed !== true,
          report,
          checkOutput,
          run: () => options.execute(input, context),
        },
        context.signal,
      ),
  }
}

function toDefinition({
  title,
  description,
  input,
  output,
  toolName,
  timeout,
  ...rest
}: CheckedActionOptions): ActionDefinition {
  return {
    ...(title === undefined ? {} : { title }),
    description,
    schema: input === undefined ? undefined : exportSchema(input, "input"),
    ...(output === undefined ? {} : { output: exportSchema(output, "output") }),
    hints: toHints(rest),
    ...(toolName === undefined ? {} : { toolName }),
    ...(timeout === undefined ? {} : { timeout }),
  }
}

function toHints({ readOnly, destructive, idempotent, openWorld }: Hints): Hints {
  return {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(openWorld === undefined ? {} : { openWorld }),
  }
}

function expectType(found: unknown, expected: string, name: string): void {
  if (typeof found === expected) return
  throw new ServiceError(`found ${typeof found} as "${name}", expected a ${expected}`, { code: "invalid_definition" })
}
