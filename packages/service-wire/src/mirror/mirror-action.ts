import type { Action, ExecuteContext, Questions, Reply } from "@x/agentic-service"
import { type Checked, createCheck } from "@x/agentic-service/adapter"
import type { RawAction } from "../members.js"

/** What the actions of a mirrored service do. */
export interface MirrorCalls {
  /** Runs an action on input as it came. */
  call(key: string, input: unknown, context: ExecuteContext): Promise<Reply>
  /** Has the other side check input, and make the questions that the action asks about it. */
  ask(key: string, input: unknown): Promise<Asked>
}

/** The questions of an action about one input, or what is wrong with it. */
export type Asked = Exclude<Checked, { readonly ok: true }> | { readonly ok: true; readonly questions: Asking }

/** The questions of an action about one input. */
export interface Asking {
  /** What has to be confirmed. */
  readonly confirm: string | undefined
  /** What has to be answered. */
  readonly ask: Questions | undefined
}

/** Checked input of an action that asks: it has its questions with it. */
interface Ticket {
  readonly input: unknown
  readonly questions: Asking
}

/**
 * Makes an action whose work is done on the other side. Input is checked on both: here by the schema that was published, so that
 * what does not fit it never leaves, and there by the action's own check.
 */
export function createMirrorAction(key: string, { definition, confirms, asks }: RawAction, calls: MirrorCalls): Action {
  const tickets = new WeakSet<object>()
  const isTicket = (input: unknown): input is Ticket =>
    typeof input === "object" && input !== null && tickets.has(input)
  const check = createCheck(definition.schema)
  const checkAndAsk = async (input: unknown): Promise<Checked> => {
    const checked = await check(input)
    const asked = checked.ok ? await calls.ask(key, input) : checked
    if (!asked.ok) return asked
    const ticket: Ticket = { input, questions: "questions" in asked ? asked.questions : nothing }
    tickets.add(ticket)
    return { ok: true, input: ticket }
  }

  return {
    ...definition,
    check: confirms || asks ? checkAndAsk : check,
    ...(confirms && { confirm: (input) => (isTicket(input) && input.questions.confirm) || `Run "${key}"?` }),
    ...(asks && { ask: (input) => (isTicket(input) && input.questions.ask) || {} }),
    execute: (input, context) => calls.call(key, isTicket(input) ? input.input : input, context),
  }
}

const nothing: Asking = { confirm: undefined, ask: undefined }
