import { isRecord, showShort } from "@x/base"
import type { Questions } from "../execute-context.js"
import { ServiceError } from "../service-error.js"

/**
 * Checks the result of an author's `confirm`.
 *
 * @throws ServiceError `invalid_definition` for anything but a question: otherwise the action would run without asking.
 */
export function checkConfirm(key: string, question: unknown): string {
  if (typeof question === "string" && question.trim() !== "") return question
  throw invalid(key, `"confirm" returned ${showShort(question)}: expected a question, a non-empty string`)
}

/**
 * Checks the result of an author's `ask`.
 *
 * @throws ServiceError `invalid_definition` for anything but questions by key.
 */
export function checkAsk(key: string, questions: unknown): Questions {
  if (!isRecord(questions) || typeof questions["then"] === "function")
    throw invalid(key, `"ask" returned ${showShort(questions)}: expected questions by key, {} for none`)
  for (const [name, question] of Object.entries(questions)) {
    const { message, schema } = isRecord(question) ? question : {}
    if (typeof message === "string" && (isRecord(schema) || typeof schema === "boolean")) continue
    throw invalid(
      key,
      `"ask" returned ${showShort(question)} as "${name}": expected a question with a "message" and a "schema"`,
    )
  }
  return questions as Questions // checked by the lines above
}

/** Creates an error that differs from the action's own failures, because the action has not run. */
function invalid(key: string, what: string): ServiceError {
  return new ServiceError(`action "${key}" cannot ask: ${what}`, { code: "invalid_definition" })
}
