import type { Action, ExecuteContext, Reply } from "@x/agentic-service"
import { type Checked, createCheck } from "@x/agentic-service/adapter"
import { cleanLine } from "@x/base"
import { type Asking, gateOf } from "../identity.js"
import type { RawAction } from "../members.js"

/** The operations behind the actions of a mirrored service. */
export interface MirrorCalls {
  /** Runs an action. */
  call(call: MirrorCall, context: ExecuteContext): Promise<Reply>
  /** Asks the other side to check input and to return the action's questions. Fails if the identity has changed. */
  ask(key: string, input: unknown, thing: string): Promise<Asked>
  /** Returns the current identity of the service. */
  thing(): string
}

/** A call and its conditions. */
export interface MirrorCall {
  /** The action's key. */
  readonly key: string
  /** The input, unchecked. */
  readonly input: unknown
  /** The hash of the definition that the caller saw; see `gateOf`. */
  readonly gate: number
  /** Whether the action changes nothing and asks nothing. */
  readonly harmless: boolean
  /** The questions that the caller was asked; `undefined` if the action asks and was called without a check. */
  readonly asked: Consent | undefined
}

/** The questions asked for one input, and the identity they were asked for. */
export interface Consent {
  /** The service's identity, or `undefined` if no question is asked. */
  readonly thing: string | undefined
  /** The questions as the other side sent them. */
  readonly questions: Asking
}

/** An action's questions for one input, or that input's faults. */
export type Asked = Exclude<Checked, { readonly ok: true }> | AskedQuestions

/** An action's questions for one input. */
interface AskedQuestions extends Pick<Consent, "questions"> {
  /** Discriminates the union. */
  readonly ok: true
  /** The questions as a person reads them, with a label that names the asker if the side is foreign. */
  readonly shown: Asking
}

/** Checked input of an action that asks, together with its questions and the identity they were asked for. */
interface Ticket extends Omit<AskedQuestions, "ok"> {
  readonly input: unknown
  readonly thing: string
}

/**
 * Creates an action that runs on the other side. Input is checked on both sides: here by the published schema, so that invalid
 * input is never sent, and there by the action's own check.
 */
export function createMirrorAction(key: string, { definition, confirms, asks }: RawAction, calls: MirrorCalls): Action {
  const tickets = new WeakSet<object>()
  const isTicket = (input: unknown): input is Ticket =>
    typeof input === "object" && input !== null && tickets.has(input)
  const check = createCheck(definition.schema)
  const checkAndAsk = async (input: unknown): Promise<Checked> => {
    const thing = calls.thing()
    const checked = await check(input)
    if (!checked.ok) return checked
    const asked = await calls.ask(key, input, thing)
    if (!asked.ok) return asked
    const { questions, shown } = asked
    const ticket: Ticket = { input, thing, questions, shown }
    tickets.add(ticket)
    return { ok: true, input: ticket }
  }
  const asking = confirms || asks
  const gate = gateOf(definition)
  const { readOnly, destructive } = definition.hints
  const harmless = readOnly === true && destructive !== true && !asking
  const shownOf = (input: unknown): Asking => (isTicket(input) ? input.shown : nothing)

  return {
    ...definition,
    check: asking ? checkAndAsk : check,
    ...(confirms && { confirm: (input) => shownOf(input).confirm || `Run "${cleanLine(key)}"?` }),
    ...(asks && { ask: (input) => shownOf(input).ask ?? {} }),
    execute(input, context) {
      const call = { key, gate, harmless }
      if (isTicket(input)) return calls.call({ ...call, input: input.input, asked: input }, context)
      return calls.call({ ...call, input, asked: asking ? undefined : unasked }, context)
    },
  }
}

const nothing: Asking = { confirm: undefined, ask: undefined }
const unasked: Consent = { thing: undefined, questions: nothing }
