import type { Outcome, Principal } from "@x/agentic-service"
import type { Diff } from "../catalogue/diff.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { createRoster } from "../runtime/slots.js"
import type { View } from "../views/view.js"
import type { Acquaintance } from "./acquaintance.js"
import type { ActiveCall, CallAnswer, Ending, OpenCalls, SettledCall, Stoppable, UnknownCall } from "./active-call.js"
import type { CallSubject, Emit } from "./adapter-event.js"
import { createAskMidway } from "./ask-midway.js"
import { createAskPerson } from "./ask-person.js"
import { createQuestionDesk } from "./asking.js"
import type { Arguments, CallContext } from "./call-context.js"
import type { QuestionOptions } from "./call-limits.js"
import { findLacking, toActionFailed, toClosed } from "./failures.js"
import { passStages } from "./pass-stages.js"
import type { RunSite } from "./run-action.js"
import { createTurns } from "./take-turns.js"

/** A call by name, of an action or of a tool of the adapter's own. */
export interface NamedCall {
  /** The tool's name. */
  readonly name: string
  /** The arguments as they came. */
  readonly args: Arguments
  /** Who calls. */
  readonly context: CallContext
  /** The target that the view shows, where one was chosen. */
  readonly target?: string
  /** Whether only an action that changes nothing may be run. */
  readonly onlyReads?: true
}

/** The one path that every call takes, whoever asks and over whatever. A view that ends waits for the calls in it. */
export interface Calls {
  /** Calls an action in a view. Never rejects; answers exactly once. */
  call(view: View, call: NamedCall): Promise<CallAnswer>
  /**
   * Has a tool of the adapter's own, such as `get_state`, answer a call, told in events and counted as any other; it waits
   * for no turn. Never rejects; answers exactly once.
   */
  callOwn(view: View, call: NamedCall, answer: () => Outcome | Promise<Outcome>): Promise<CallAnswer>
  /** Tells that the answer of a settled call is about to tell its client what changed. */
  caughtUp(answer: SettledCall, diff: Diff): void
  /**
   * The scopes that a caller lacks for what a name stands for now: none where none are asked for, or nothing can be called by
   * that name. Absent where no action asks for any.
   */
  readonly lacks?: (view: View, name: string, principal: Principal | undefined) => readonly string[]
  /** Whether what a person would have to confirm can be confirmed with a token; see `questions.incapable`. */
  readonly confirmsByToken: boolean
  /**
   * Puts something around every call that starts from now on, such as the context of a trace.
   *
   * @returns Takes it away again; idempotent.
   */
  readonly around: Arounds["add"]
  /** Knows which things clients have last listed or read. */
  readonly acquaintance: Acquaintance
  /** How many calls wait for their turn. */
  waiting(): number
  /** Stops every running action, and lets no further one run; what is called then is answered `closed`. Runs `idle` once all are answered. */
  close(idle: () => void): void
}

/** What calls need of their surroundings. */
interface CallsOptions extends Omit<RunSite, "calls" | "midway"> {
  /** Told when a call starts and settles, and what an operator should know of it. */
  readonly emit: Emit
  /** The scopes that an action takes. Default: none. */
  readonly scopes?: (entry: ToolEntry) => readonly string[]
  /** How questions to the person are put. */
  readonly questions: QuestionOptions
  /** Makes the id a call is known by in events and in messages that hide their cause. */
  readonly newId: () => string
}

/** Makes the one path that every call takes: look up, then stage by stage. */
export function createCalls(options: CallsOptions): Calls {
  const open = createOpenCalls()
  const arounds = createArounds()
  const desk = createQuestionDesk(options.questions, options.host.clock)
  const midway = createAskMidway(desk, options.host)
  const site = {
    ...options,
    calls: open,
    turns: createTurns(options.limits),
    person: createAskPerson(desk),
    midway,
  }
  const { scopes } = options
  const follow = createFollow({ ...options, open, arounds })
  const { enter, subjectOf } = createEntrance(options, open)
  return {
    call: (view, named) =>
      enter(view, named, async (call) => {
        const resolution = view.resolve(named.name)
        if (resolution.status === "unknown") return { kind: "unknown", name: named.name }
        return follow(call, () => passStages(call, resolution, site))
      }),
    callOwn: (view, named, answer) =>
      enter(view, named, (call) => follow(call, async () => ({ kind: "settled", outcome: await answer() }))),
    caughtUp(answer, diff) {
      const subject = subjectOf(answer)
      if (subject !== undefined) options.emit({ type: "call-caught-up", ...subject, diff })
    },
    ...(scopes && {
      lacks(view, name, principal) {
        const found = view.resolve(name)
        return found.status === "available" ? findLacking(scopes(found.entry), principal) : []
      },
    }),
    confirmsByToken: options.questions.incapable === "token",
    around: arounds.add,
    acquaintance: desk.acquaintance,
    waiting: site.turns.waiting,
    close(idle) {
      midway.close()
      open.close(idle)
    },
  }
}

/** Lets calls in once their view is ready, and keeps which call an answer is of. */
function createEntrance(options: CallsOptions, open: OpenCalls) {
  // Beside the answers, which are equal where the same came of two calls.
  const subjects = new WeakMap<SettledCall, CallSubject>()
  const enter = async (view: View, call: NamedCall, pass: Pass): Promise<CallAnswer> => {
    if (open.closed()) return { kind: "settled", outcome: toClosed(call.name), revision: view.revision() }
    const release = view.hold()
    try {
      await view.ready()
      const revision = view.revision()
      const subject = toCallSubject(view, call, options)
      const stop = call.context.stop ?? call.context.signal
      const answer = await pass({ view, stop, subject, emit: options.emit, ...call })
      if (answer.kind !== "settled") return answer
      const settled: SettledCall = { revision, ...answer }
      subjects.set(settled, subject)
      return settled
    } finally {
      release()
    }
  }
  return { enter, subjectOf: (answer: SettledCall) => subjects.get(answer) }
}

/** Creates the registry of open calls. */
function createOpenCalls(): OpenCalls {
  const runs = createRoster<Stoppable>()
  let open = 0
  let idle: (() => void) | undefined
  return {
    closed: () => idle !== undefined,
    begin() {
      open += 1
      return () => {
        open -= 1
        if (open === 0) idle?.()
      }
    },
    running: runs.add,
    close(whenIdle) {
      if (idle !== undefined) return
      idle = whenIdle
      for (const run of runs.all()) run.stop("closing")
      if (open === 0) idle()
    },
  }
}

type Pass = (call: ActiveCall) => Promise<Ending | UnknownCall>

function toCallSubject(view: View, { name, context }: NamedCall, { newId }: CallsOptions): CallSubject {
  const { client, principal, leg, trace, clientInfo, info = clientInfo } = context
  return {
    id: newId(),
    name,
    view: view.id,
    client,
    leg,
    ...(info && { info }),
    ...(principal && { principal }),
    ...(trace && { trace }),
  }
}

/** Holds a call in the ledger and tells its start and end, whatever happens in between. */
function createFollow({ host, open, arounds }: CallsOptions & { readonly open: OpenCalls; readonly arounds: Arounds }) {
  return async (call: ActiveCall, pass: () => Promise<Ending>): Promise<Ending> => {
    const { subject, args, emit } = call
    const closed = host.ledger.open("call")
    const answered = open.begin()
    const startedAt = host.clock.now()
    emit({ type: "call-started", ...subject, args })
    // `check` and `execute` never throw by contract, but a service written by hand may not keep it.
    const begin = async (): Promise<Ending> => arounds.begin(subject, pass)
    const ending = await begin().catch(
      (cause: unknown): Ending => ({ kind: "settled", outcome: toActionFailed(call, "threw", cause) }),
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

/** Creates the list of what is put around calls. */
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
