import type { Outcome, Principal } from "@x/agentic-service"
import { showShort } from "@x/base"
import type { Diff } from "../catalogue/diff.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { createRoster } from "../runtime/slots.js"
import type { View } from "../views/view.js"
import type { Acquaintance } from "./acquaintance.js"
import type {
  ActiveCall,
  AskedCall,
  CallAnswer,
  Ending,
  HandOver,
  OpenCalls,
  SettledCall,
  Stoppable,
  UnknownCall,
} from "./active-call.js"
import type { CallSubject, Emit } from "./adapter-event.js"
import type { Arguments, CallContext } from "./call-context.js"
import type { QuestionOptions } from "./call-limits.js"
import { findLacking } from "./call-subject.js"
import { createAskMidway } from "./consent/ask-midway.js"
import { createConsent } from "./consent/consent.js"
import { createQuestionDesk } from "./consent/question-desk.js"
import { toActionFailed, toClosed } from "./failures.js"
import { findHeaderFault, type ReadHeader, toMismatched } from "./param-headers.js"
import { passStages } from "./pass-stages.js"
import type { RunSite } from "./run-call.js"
import { createTurns } from "./take-turns.js"
import { createTasks, type Tasks } from "./tasks/create-tasks.js"
import { defaultTaskOptions, type TaskOptions } from "./tasks/task-options.js"

/** A call by name: an action's or an adapter tool's. */
export interface NamedCall {
  /** The tool's name. */
  readonly name: string
  /** The arguments as received. */
  readonly args: Arguments
  /** The caller. */
  readonly context: CallContext
  /** The chosen target, if the view has several. */
  readonly target?: string
  /** Whether only a read-only action may run. */
  readonly onlyReads?: true
  /** Chooses how the call is handed over if its action is long. Default: the caller waits for its end. */
  readonly handOver?: ((context: CallContext) => HandOver) | undefined
  /** Reads headers that repeat arguments. Default: there are none. */
  readonly header?: ReadHeader | undefined
  /** The parameter that named the item, if the call was one of a tool that stands for several items. */
  readonly item?: string
  /** Returns an action's name as the caller's list has it. Default: its own. */
  readonly nameOf?: (entry: ToolEntry) => string
}

/** The answer of one of the adapter's own tools: an outcome, or questions that the client has to answer first. */
export type OwnAnswer = Outcome | AskedCall

/** The call path of every call, over any transport. A view that ends waits for its calls. */
export interface Calls {
  /** Calls an action in a view. Never rejects; answers exactly once. */
  call(view: View, call: NamedCall): Promise<CallAnswer>
  /**
   * Answers a call with one of the adapter's own tools, such as `get_state`. It emits events and counts like any call, but
   * runs at once instead of waiting for a turn. Never rejects; answers exactly once.
   */
  callOwn(view: View, call: NamedCall, answer: () => OwnAnswer | Promise<OwnAnswer>): Promise<CallAnswer>
  /** Emits that the answer of a settled call reports changes to its client. */
  caughtUp(answer: SettledCall, diff: Diff): void
  /**
   * Returns the scopes that a caller lacks for the action behind a name: empty if none are required, or the name cannot be
   * called now. Absent if no action requires scopes.
   */
  readonly lacks?: (view: View, name: string, principal: Principal | undefined) => readonly string[]
  /** Whether a token can stand in for a person's confirmation; see `questions.incapable`. */
  readonly confirmsByToken: boolean
  /**
   * Wraps every call that starts from now on, such as in the context of a trace.
   *
   * @returns A function that removes the wrapper; idempotent.
   */
  readonly around: Arounds["add"]
  /** Remembers which instances each client saw. */
  readonly acquaintance: Acquaintance
  /** The calls that outlast their requests. */
  readonly tasks: Tasks
  /** Returns the number of calls that wait for their turn. */
  waiting(): number
  /**
   * Stops every running action, and lets no more start; later calls are answered `closed`. Runs `idle` once all calls are
   * answered.
   */
  close(idle: () => void): void
}

/** Options of the call path. */
interface CallsOptions extends Omit<RunSite, "calls" | "midway"> {
  /** Options of calls that outlast their requests. Default: the defaults. */
  readonly tasks?: TaskOptions
  /** Emits the start and end of calls, and diagnostics. */
  readonly emit: Emit
  /** Returns the scopes that an action requires. Default: none. */
  readonly scopes?: (entry: ToolEntry) => readonly string[]
  /** Options of questions to the person. */
  readonly questions: QuestionOptions
  /** Creates the id of a call, for events and for messages that hide their cause. Default: a random UUID. */
  readonly newId?: () => string
}

/** Creates the call path: lookup, then stage by stage. */
export function createCalls(options: CallsOptions): Calls {
  const open = createOpenCalls()
  const arounds = createArounds()
  const desk = createQuestionDesk(options.questions, options.host)
  const midway = createAskMidway(desk, options.host)
  const tasks = createTasks({
    options: options.tasks ?? defaultTaskOptions,
    host: options.host,
    scopes: options.scopes,
  })
  const site = {
    ...options,
    calls: open,
    turns: createTurns(options.limits),
    consent: createConsent(desk),
    midway,
    tasks,
  }
  const { scopes } = options
  const follow = createFollow({ ...options, open, arounds })
  const { enter, subjectOf } = createEntrance(options, open)
  return {
    call: (view, named) =>
      enter(view, named, async (call) => {
        const resolution = view.resolve(named.name)
        if (resolution.status === "unknown") return { kind: "unknown", name: named.name }
        const { headers } = resolution.entry
        const fault = headers.length > 0 && named.header && findHeaderFault(headers, named.args, named.header)
        if (fault) return toMismatched(fault)
        return follow(call, () => passStages(call, resolution, site))
      }),
    callOwn: (view, named, answer) =>
      enter(view, named, (call) =>
        follow(call, async () => {
          const given = await answer()
          return "kind" in given ? given : { kind: "settled", outcome: given }
        }),
      ),
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
    tasks,
    close(idle) {
      midway.close()
      tasks.close()
      open.close(idle)
    },
  }
}

/** Admits calls once their view is ready, and remembers the call of each answer. */
function createEntrance(options: CallsOptions, open: OpenCalls) {
  // Kept beside the answers, because two calls may have equal ones.
  const subjects = new WeakMap<SettledCall, CallSubject>()
  const enter = async (view: View, call: NamedCall, pass: Pass): Promise<CallAnswer> => {
    if (open.closed()) return { kind: "settled", outcome: toClosed(call.name), revision: view.revision() }
    const release = view.hold()
    try {
      await view.ready()
      const revision = view.revision()
      const subject = toCallSubject(view, call, options)
      const stop = call.context.stop ?? call.context.signal
      const startedAt = options.host.clock.now()
      const answer = await pass({ view, stop, subject, emit: options.emit, startedAt, ...call })
      if (answer.kind === "handed") return { ...answer, revision }
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

function toCallSubject(view: View, { name, context }: NamedCall, { newId = newUuid }: CallsOptions): CallSubject {
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

function newUuid(): string {
  return crypto.randomUUID()
}

/** Creates the wrapper that holds a call in the ledger and emits its start and end, whatever happens in between. */
function createFollow({ host, open, arounds }: CallsOptions & { readonly open: OpenCalls; readonly arounds: Arounds }) {
  return async (call: ActiveCall, pass: () => Promise<Ending>): Promise<Ending> => {
    const { subject, args, emit } = call
    const answered = open.begin()
    const closed = host.ledger.open("call")
    emit({ type: "call-started", ...subject, args })
    // By contract `check` and `execute` never throw, but a service written by hand may.
    const ending = await beginIn(arounds, call, pass)
    closed()
    const duration = host.clock.now() - call.startedAt
    if (ending.kind === "handed") {
      emit({ type: "call-handed", ...subject, args, entry: ending.entry, task: ending.task.id, duration })
    } else if (ending.kind === "asked") {
      emit({ type: "call-asked", ...subject, args, questions: ending.questions, duration })
    } else if (ending.kind === "incapable") emit({ type: "call-asked", ...subject, args, duration })
    else {
      const { outcome, entry } = ending
      emit({ type: "call-settled", ...subject, args, ...(entry && { entry }), outcome, duration })
    }
    answered()
    return ending
  }
}

/** Runs a call within all wrappers. Never rejects. */
async function beginIn(arounds: Arounds, call: ActiveCall, pass: () => Promise<Ending>): Promise<Ending> {
  try {
    const ending: Ending | undefined = await arounds.begin(call.subject, pass)
    if (ending?.kind !== undefined) return ending
    throw new TypeError(`"around" returned ${showShort(ending)}: expected the result of the call`)
  } catch (cause) {
    return { kind: "settled", outcome: toActionFailed(call, "threw", cause) }
  }
}

/**
 * Runs the work of a call in a context of its own, such as a trace, and returns the work's result. Called after the call's
 * start event. If it throws, the call fails as if the action had thrown.
 */
export type Around = <Result>(call: CallSubject, work: () => Result) => Result

/** The wrappers of calls; the first added is outermost. */
interface Arounds {
  /** Runs the work of a call within all wrappers. */
  readonly begin: Around
  /**
   * Wraps every call that starts from now on.
   *
   * @returns A function that removes the wrapper; idempotent.
   */
  add(around: Around): () => void
}

/** Creates the registry of wrappers. */
function createArounds(): Arounds {
  const arounds = new Set<Around>()
  return {
    add(around) {
      // A function of its own, so that a wrapper added twice is kept twice.
      const added: Around = (call, work) => around(call, work)
      arounds.add(added)
      return () => void arounds.delete(added)
    },
    begin(call, work) {
      if (arounds.size === 0) return work()
      let begin = work
      for (const around of [...arounds].reverse()) {
        const inner = begin
        begin = () => around(call, inner)
      }
      return begin()
    },
  }
}
