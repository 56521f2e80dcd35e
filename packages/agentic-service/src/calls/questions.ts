import { isRecord, showShort } from "@x/tool-schemas/json"
import type { Questions } from "../execute-context.js"
import { ServiceError } from "../service-error.js"

/**
 * Checks what an author's `confirm` gave.
 *
 * @throws ServiceError `invalid_definition` for anything but a question: without one nobody would be asked, and the action run.
 */
export function checkConfirm(key: string, question: unknown): string {
  if (typeof question === "string" && question.trim() !== "") return question
  throw invalid(key, `"confirm" gave ${showShort(question)}: expected the question, a string that is not empty`)
}

/**
 * Checks what an author's `ask` gave.
 *
 * @throws ServiceError `invalid_definition` for anything but questions by key.
 */
export function checkAsk(key: string, questions: unknown): Questions {
  if (!isRecord(questions) || typeof questions["then"] === "function")
    throw invalid(key, `"ask" gave ${showShort(questions)}: expected the questions by key, {} for none`)
  for (const [name, question] of Object.entries(questions)) {
    const { message, schema } = isRecord(question) ? question : {}
    if (typeof message === "string" && (isRecord(schema) || typeof schema === "boolean")) continue
    throw invalid(
      key,
      `"ask" gave ${showShort(question)} as "${name}": expected a question with a "message" and a "schema"`,
    )
  }
  return questions as Questions // what the lines above have looked at
}

/** Kept apart from the action's own failures: nothing of the action has run. */
function invalid(key: string, what: string): ServiceError {
  return new ServiceError(`action "${key}" cannot ask: ${what}`, { code: "invalid_definition" })
}
