import type { Action, ExecuteContext, Reply } from "@x/agentic-service"
import { type Checked, createCheck } from "@x/agentic-service/adapter"
import { cleanLine } from "@x/tool-schemas/json"
import { type Asking, gateOf } from "../identity.js"
import type { RawAction } from "../members.js"

/** What the actions of a mirrored service do. */
export interface MirrorCalls {
  /** Runs an action. */
  call(call: MirrorCall, context: ExecuteContext): Promise<Reply>
  /** Has the other side check input, and make the questions that the action asks about it, if it is still for that thing. */
  ask(key: string, input: unknown, thing: string): Promise<Asked>
  /** Returns what the service stands for now. */
  thing(): string
}

/** A call, with what it is bound to. */
export interface MirrorCall {
  /** The action's key. */
  readonly key: string
  /** Its input, as it came. */
  readonly input: unknown
  /** The definition that the caller saw; see `gateOf`. */
  readonly gate: number
  /** Whether it changes nothing, and nobody is asked before it runs. */
  readonly harmless: boolean
  /** What the caller was asked; `undefined` for an action that asks and was called without a check. */
  readonly asked: Consent | undefined
}

/** What was asked about one input, and of which thing. */
export interface Consent {
  /** What the service stood for; `undefined` where nothing is asked. */
  readonly thing: string | undefined
  /** The questions, as the other side told them. */
  readonly questions: Asking
}

/** The questions of an action about one input, or what is wrong with it. */
export type Asked = Exclude<Checked, { readonly ok: true }> | AskedQuestions

/** The questions of an action about one input. */
interface AskedQuestions extends Pick<Consent, "questions"> {
  /** Tells it apart. */
  readonly ok: true
  /** The questions as a person reads them: with a label that says who asks, where that is somebody else. */
  readonly shown: Asking
}

/** Checked input of an action that asks: it has its questions with it, and the thing that they were asked of. */
interface Ticket extends Omit<AskedQuestions, "ok"> {
  readonly input: unknown
  readonly thing: string
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
