import type { Action, JsonSchema, Questions } from "@x/agentic-service"

/** The key under which a person accepts; the questions of `ask` cannot have it, because keys begin with a letter there. */
export const CONFIRM = "_confirm"

/** A form with nothing to fill in: all that can be done with it is to accept or to decline. */
const NOTHING: JsonSchema = { type: "object", properties: {} }

/** What a person is asked before an action runs on this input; `undefined` when nothing is. */
export function toQuestions(
  action: Action,
  input: unknown,
  policy: { readonly destructive: boolean },
): Questions | undefined {
  const confirm =
    action.confirm?.(input) ?? (policy.destructive && action.hints.destructive ? fallback(action) : undefined)
  const questions = {
    ...(confirm !== undefined && { [CONFIRM]: { message: confirm, schema: NOTHING } }),
    ...action.ask?.(input),
  }
  return Object.keys(questions).length > 0 ? questions : undefined
}

function fallback({ title, description }: Action): string {
  return `Do this? ${title ?? description}`
}
