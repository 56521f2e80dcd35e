import type { Outcome } from "@x/agentic-service"
import type { View } from "../views/view.js"
import { type ActiveCall, type CallAnswer, createOpenCalls, type OpenCalls } from "./active-call.js"
import type { CallSubject, Emit } from "./adapter-event.js"
import { createAskPerson } from "./ask-person.js"
import type { Arguments, CallContext } from "./call-context.js"
import type { QuestionOptions } from "./call-limits.js"
import { toActionFailed, toClosed } from "./failures.js"
import { type Ending, passStages } from "./pass-stages.js"
import type { RunSite } from "./run-action.js"
import { createTurns } from "./take-turns.js"

/** Calls an action by name in one view. Never rejects; answers exactly once. */
export type Call = (name: string, args: Arguments, context: CallContext) => Promise<CallAnswer>

/**
 * Has a tool of the adapter's own answer a call in one view, told in events and counted as any other call; it waits for no
 * turn. Never rejects; answers exactly once.
 */
export type CallOwn = (call: OwnCall, answer: () => Outcome | Promise<Outcome>) => Promise<CallAnswer>

/** A call of a tool of the adapter's own. */
export interface OwnCall {
  /** The tool's name. */
  readonly name: string
  /** The arguments as they came. */
  readonly args: Arguments
  /** Who calls. */
  readonly context: CallContext
}

/** What a caller needs of its surroundings. */
interface CallerOptions extends Omit<RunSite, "calls"> {
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
  /** Calls of the adapter's own tools in one view. */
  own(view: View): CallOwn
  /** Whether what a person would have to confirm can be confirmed with a token. */
  readonly confirmsByToken: boolean
  /** {@link Arounds.add}. */
  readonly around: Arounds["add"]
  /** How many calls wait for their turn. */
  waiting(): number
  /** {@link OpenCalls.close}; what is called afterwards is answered with the failure `closed`. */
  close(idle: () => void): void
}

/** The one path every call takes, whoever asks and over whatever: look up, then stage by stage. */
export function createCaller(options: CallerOptions): CallPath {
  const calls = createOpenCalls()
  const arounds = createArounds()
  const site = { ...options, calls, turns: createTurns(options.limits), person: createAskPerson(options.questions) }
  const following = { ...options, calls, arounds }
  const within =
    (view: View): Call =>
    async (name, args, context) => {
      if (calls.closed()) return { kind: "settled", outcome: toClosed(name), revision: view.revision() }
      await view.ready
      const revision = view.revision()
      const resolution = view.resolve(name)
      if (resolution.status === "unknown") return { kind: "unknown", name }
      const call = { view, subject: toSubject(name, context, options), args, context, emit: options.emit }
      const ending = await follow(call, following, () => passStages(call, resolution, site))
      return ending.kind === "settled" ? { ...ending, revision } : ending
    }
  const own =
    (view: View): CallOwn =>
    async ({ name, args, context }, answer) => {
      if (calls.closed()) return { kind: "settled", outcome: toClosed(name), revision: view.revision() }
      await view.ready
      const revision = view.revision()
      const call = { subject: toSubject(name, context, options), args, emit: options.emit }
      const ending = await follow(call, following, async () => ({ kind: "settled", outcome: await answer() }))
      return ending.kind === "settled" ? { ...ending, revision } : ending
    }
  const confirmsByToken = options.questions.incapable === "token"
  return { within, own, confirmsByToken, around: arounds.add, waiting: site.turns.waiting, close: calls.close }
}

function toSubject(name: string, context: CallContext, { newId }: CallerOptions): CallSubject {
  const { client, principal, leg, trace } = context
  return { id: newId(), name, client, leg, ...(principal && { principal }), ...(trace && { trace }) }
}

/** Holds the call in the ledger and tells its start and end, whatever happens in between. */
async function follow(
  { subject, args, emit }: Pick<ActiveCall, "subject" | "args" | "emit">,
  options: CallerOptions & { readonly calls: OpenCalls; readonly arounds: Arounds },
  pass: () => Promise<Ending>,
): Promise<Ending> {
  const { calls, host, arounds } = options
  const closed = host.ledger.open("call")
  const answered = calls.begin()
  const startedAt = host.clock.now()
  emit({ type: "call-started", ...subject, args })
  // `check` and `execute` never throw by contract, but a service written by hand may not keep it.
  const begin = async (): Promise<Ending> => arounds.begin(subject, pass)
  const ending = await begin().catch(
    (cause: unknown): Ending => ({ kind: "settled", outcome: toActionFailed({ subject, emit }, "threw", cause) }),
  )
  closed()
  const duration = host.clock.now() - startedAt
  if (ending.kind !== "settled") emit({ type: "call-asked", ...subject, args, duration })
  else {
    const { outcome, entry } = ending
    emit({ type: "call-settled", ...subject, args, ...(entry && { entry }), outcome, duration })
  }
  answered()
  return ending
}

/**
 * Begins the work of a call in surroundings of its own making, such as the context of a trace, and returns what the work
 * returns; asked after the call's start is told. What it throws fails the call as the action's throwing would.
 */
export type Around = <Result>(call: CallSubject, work: () => Result) => Result

/** What is put around calls; the one added first is outermost. */
interface Arounds {
  /** Begins the work of a call within all of them. */
  readonly begin: Around
  /**
   * Puts something around every call that starts from now on.
   *
   * @returns Takes it away again; idempotent.
   */
  add(around: Around): () => void
}

/** Nothing yet. */
function createArounds(): Arounds {
  const arounds = new Set<Around>()
  return {
    add(around) {
      // Its own function, so that what is added twice is there twice.
      const added: Around = (call, work) => around(call, work)
      arounds.add(added)
      return () => void arounds.delete(added)
    },
    begin(call, work) {
      let begin = work
      for (const around of [...arounds].reverse()) {
        const inner = begin
        begin = () => around(call, inner)
      }
      return begin()
    },
  }
}

/**
 * A call that holds something for as long as it runs.
 *
 * @param hold - Takes hold, and returns what lets go.
 */
export function holdWhile<Parameters extends readonly unknown[], Answer>(
  call: (...parameters: Parameters) => Promise<Answer>,
  hold: () => () => void,
): (...parameters: Parameters) => Promise<Answer> {
  return (...parameters) => {
    const release = hold()
    return call(...parameters).finally(release)
  }
}
