import type { View } from "../catalogue/view.js"
import { toActionFailed } from "./action-failed.js"
import type { ActiveCall, Arguments } from "./active-call.js"
import type { CallSubject, Emit } from "./adapter-event.js"
import type { CallAnswer } from "./call-answer.js"
import type { CallContext } from "./call-context.js"
import { createOpenCalls, type OpenCalls, toClosed } from "./open-calls.js"
import { type Ending, passStages } from "./pass-stages.js"
import { createAskPerson } from "./questions/ask-person.js"
import type { QuestionOptions } from "./questions/question-options.js"
import type { RunSite } from "./run-action.js"
import { createTurns } from "./take-turns.js"

/** Calls an action by name in one view. Never rejects; answers exactly once. */
export type Call = (name: string, args: Arguments, context: CallContext) => Promise<CallAnswer>

/** What a caller needs of its surroundings. */
export interface CallerOptions extends Omit<RunSite, "calls"> {
  /** Told when a call starts and settles, and what an operator should know of it. */
  readonly emit: Emit
  /** How questions to the person are put. */
  readonly questions: QuestionOptions
  /** Makes the id a call is known by in events and in messages that hide their cause. */
  readonly newId: () => string
}

/** The one path every call takes. */
export interface CallPath {
  /** Calls in one view. */
  within(view: View): Call
  /** How many calls wait for their turn. */
  waiting(): number
  /** {@link OpenCalls.close}; what is called afterwards is answered with the failure `closed`. */
  close(idle: () => void): void
}

/** The one path every call takes, whoever asks and over whatever: look up, then stage by stage. */
export function createCaller(options: CallerOptions): CallPath {
  const calls = createOpenCalls()
  const site = { ...options, calls, turns: createTurns(options.limits), person: createAskPerson(options.questions) }
  const within =
    (view: View): Call =>
    async (name, args, context) => {
      if (calls.closed()) return { kind: "settled", outcome: toClosed(name), revision: view.revision() }
      await view.ready
      const revision = view.revision()
      const resolution = view.resolve(name)
      if (resolution.status === "unknown") return { kind: "unknown", name }
      const call = { view, subject: toSubject(name, context, options), args, context, emit: options.emit }
      const ending = await follow(call, { ...options, calls }, () => passStages(call, resolution, site))
      return ending.kind === "settled" ? { ...ending, revision } : ending
    }
  return { within, waiting: site.turns.waiting, close: calls.close }
}

function toSubject(name: string, { client, principal }: CallContext, { newId }: CallerOptions): CallSubject {
  return { id: newId(), name, client, ...(principal && { principal }) }
}

/** Holds the call in the ledger and tells its start and end, whatever happens in between. */
async function follow(
  call: ActiveCall,
  options: CallerOptions & { readonly calls: OpenCalls },
  pass: () => Promise<Ending>,
): Promise<Ending> {
  const { calls, clock, emit, ledger } = options
  const closed = ledger.open("call")
  const answered = calls.begin()
  const startedAt = clock.now()
  emit({ type: "call-started", ...call.subject })
  // `check` and `execute` never throw by contract, but a service written by hand may not keep it.
  const ending = await pass().catch(
    (cause: unknown): Ending => ({ kind: "settled", outcome: toActionFailed(call, "threw", cause) }),
  )
  closed()
  if (ending.kind !== "settled") emit({ type: "call-asked", ...call.subject })
  else {
    const { outcome, entry } = ending
    emit({ type: "call-settled", ...call.subject, ...(entry && { entry }), outcome, duration: clock.now() - startedAt })
  }
  answered()
  return ending
}
