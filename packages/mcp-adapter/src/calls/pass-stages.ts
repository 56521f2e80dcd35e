import type { Action, Outcome } from "@x/agentic-service"
import { changed } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution } from "../views/view.js"
import type { ActiveCall, Ending } from "./active-call.js"
import {
  type Available,
  compareSubject,
  findLacking,
  type ScopesOf,
  type Standing,
  type Subject,
  toSubject,
} from "./call-subject.js"
import { checkInput } from "./check-input.js"
import type { Begun } from "./consent/answer-memory.js"
import type { TakenUp } from "./consent/ask-midway.js"
import type { AnsweredQuestions, Asking, Consent } from "./consent/consent.js"
import { causeOf, toLacking, toNotAvailable, toNotReadOnly, toStopped } from "./failures.js"
import { type Runnable, type RunSite, runCall } from "./run-call.js"
import type { Turns } from "./take-turns.js"
import type { TaskRunner } from "./tasks/create-tasks.js"

/** The context of the stages. */
interface Stages extends RunSite {
  /** The queue for turns, per client and per service. */
  readonly turns: Turns
  /** The stage that asks the person. */
  readonly consent: Consent
  /** Returns the scopes that an action requires. Default: none. */
  readonly scopes?: ScopesOf
  /** The calls that outlast their requests. */
  readonly tasks: Pick<TaskRunner, "run">
}

/** Takes a call of a known name through its stages: scopes, check, questions to the person, turn, run. */
export async function passStages(
  call: ActiveCall,
  resolution: Exclude<Resolution, { status: "unknown" }>,
  site: Stages,
): Promise<Ending> {
  if (call.context.requestState !== undefined) {
    // A repeated answer is replayed first, because its action may have changed what can be called.
    const known = site.consent.recall(call)
    if (known !== undefined) return known
    const taken = await site.midway.takeUp(call)
    if (taken !== undefined) return answerMidway(call, taken, site)
  }
  if (resolution.status === "available") return (await passGate(call, resolution, { begins: 0, ...site })).ending
  return reviveFirst(call, resolution, site)
}

/** Tries to bring back an unavailable action, such as one of a lost upstream server, and continues with it. */
async function reviveFirst(
  call: ActiveCall,
  resolution: Extract<Resolution, { status: "unavailable" }>,
  site: Stages,
): Promise<Ending> {
  const attempt = resolution.revive?.(call.stop)
  if (attempt === undefined) return settled(toNotAvailable(call, resolution))
  await attempt
  const now = call.view.resolve(call.subject.name)
  if (now.status !== "available") return settled(toNotAvailable(call, now))
  // Another instance has come back in its place, and the call was not meant for it.
  if (now.entry.thing !== resolution.entry.thing) return settled(changed(call.subject.name))
  return (await passGate(call, now, { begins: 0, ...site })).ending
}

/** The result of a turn, and whether the action ran. */
interface Came {
  readonly ran: boolean
  readonly ending: Ending
}

/**
 * Takes a call through all checks before the action, and runs it. The action that runs is the one whose scopes, check,
 * questions and turn were passed. If its gate has changed in the meantime, the checks begin again.
 */
async function passGate(call: ActiveCall, found: Available, site: Stages & Beginning): Promise<Came> {
  const subject = toSubject(call, found, { scopesOf: site.scopes, redefined: site.begins > 0 })
  const { action, entry } = subject
  if (call.stop.aborted) return notRun(toStopped(call.subject.name, causeOf(call.stop), 0), entry)
  const lacking = findLacking(subject.scopes, call.context.principal)
  if (lacking.length > 0) return notRun(toLacking(call.subject.name, lacking), entry)
  if (call.onlyReads && !isReadOnly(entry)) return notRun(toNotReadOnly(call.subject.name), entry)
  const checked = await checkInput(call, subject, site.calls)
  if (!checked.ok) return notRun(checked.failure, entry)
  // A note shows that a question was put; an action that asks nothing now may be another one.
  const asks = mayAsk(action) || call.context.requestState !== undefined
  if (!asks) return takeTurn(call, subject, { checked, answered: undefined, ...site })
  const asking = await site.consent.ask(call, subject, checked.input)
  return answerQuestions(asking, entry, (answered) => takeTurn(call, subject, { checked, answered, ...site }))
}

/** The number of times that a call has begun again. */
interface Beginning {
  readonly begins: number
}

/** The most restarts of a call whose action is redefined again and again. */
const MOST_BEGINS = 8

/**
 * Whether questions are possible: by the author, by the operator's policy for destructive actions, or about a replaced
 * instance.
 */
function mayAsk({ confirm, ask, hints }: Action): boolean {
  return confirm !== undefined || ask !== undefined || hints.destructive === true
}

function isReadOnly({ definition }: ToolEntry): boolean {
  return definition.annotations.readOnlyHint === true
}

async function answerQuestions(
  asking: Asking,
  entry: ToolEntry,
  run: (answered: AnsweredQuestions | undefined) => Promise<Came>,
): Promise<Came> {
  switch (asking.kind) {
    case "unasked":
      return run(undefined)
    case "asked":
      return { ran: false, ending: asking }
    case "incapable":
      return { ran: false, ending: { kind: "incapable", required: { elicitation: {} } } }
    case "refused":
      return notRun(asking.failure, entry)
    case "replayed":
      return { ran: false, ending: await asking.ending }
    case "answered": {
      const came = await run(asking)
      tell(asking.begun, came)
      return came
    }
  }
}

/** An action that did not run leaves its answer unused. */
function tell(begun: Begun, { ran, ending }: Came): void {
  if (ran) begun.ran(ending)
  else begun.didNotRun(ending)
}

/** Returns an answer to the action that asked while it ran. Its lookup and check were done when it began. */
async function answerMidway(call: ActiveCall, taken: TakenUp, site: Stages): Promise<Ending> {
  if (taken.kind === "asked") return taken
  if (taken.kind === "replayed") return taken.ending
  if (taken.kind === "refused") return settled(taken.failure)
  const { entry, goOn } = taken
  const { long } = entry.current() ?? {}
  const came = await inTurn(call, { entry, action: { hints: {} }, site }, async () => {
    return { ran: true, ending: await run(call, { entry, action: { long }, answers: {}, run: goOn }, site) }
  })
  if (!came.ran) taken.putBack()
  tell(taken.begun, came)
  return came.ending
}

/** The context of a turn. */
interface TurnSite extends Stages, Beginning {
  readonly checked: { readonly input: unknown }
  readonly answered: AnsweredQuestions | undefined
}

/** Waits for a turn and runs. Waiting takes time, so the call looks up its action again right before the run. */
async function takeTurn(call: ActiveCall, subject: Subject, site: TurnSite): Promise<Came> {
  let redefined: Available | undefined
  const came = await inTurn(call, { site, ...subject }, async () => {
    const last = await lookAgain(call, subject, site)
    if (last.kind === "redefined") redefined = last.found
    if (last.kind !== "runs") return last.came
    const { found, input } = last
    const asked = site.answered?.reread(found, input)
    if (asked !== undefined) return { ran: false, ending: asked }
    const answers = site.answered?.answers ?? {}
    const begin: Runnable["run"] = (context) => found.action.execute(input, context)
    return { ran: true, ending: await run(call, { answers, run: begin, ...found }, site) }
  })
  if (redefined === undefined) return came
  // The answers were about the former definition.
  return passGate(withoutAnswer(call), redefined, { ...site, begins: site.begins + 1 })
}

/** The result of the last lookup before the run. */
type LastLook =
  | { readonly kind: "runs"; readonly found: Available; readonly input: unknown }
  | { readonly kind: "ends"; readonly came: Came }
  | { readonly kind: "redefined"; readonly found: Available; readonly came: Came }

/**
 * Looks up the name until no check is pending: if the action has become another object, it checks the input again, which may
 * take time again.
 */
async function lookAgain(call: ActiveCall, subject: Subject, site: TurnSite): Promise<LastLook> {
  let { action } = subject
  let { input } = site.checked
  const given = (): Came => notRun(changed(call.subject.name), subject.entry)
  for (let looks = 0; looks < MOST_BEGINS; looks += 1) {
    const now = compareSubject(call, subject, site.scopes)
    if (now.kind !== "same") return endLook(call, now, { given, begins: site.begins })
    if (now.found.action === action) return { kind: "runs", found: now.found, input }
    const still = await checkInput(call, now.found, site.calls)
    if (!still.ok) return { kind: "ends", came: notRun(still.failure, now.found.entry) }
    ;({ action } = now.found)
    ;({ input } = still)
  }
  return { kind: "ends", came: given() }
}

/** Ends the lookup of a changed action. */
function endLook(
  call: ActiveCall,
  now: Exclude<Standing, { readonly kind: "same" }>,
  { given, begins }: Beginning & { given(): Came },
): LastLook {
  if (now.kind === "unavailable") return { kind: "ends", came: notRun(toNotAvailable(call, now.resolution)) }
  if (now.kind === "changed" || begins >= MOST_BEGINS) return { kind: "ends", came: given() }
  return { kind: "redefined", found: now.found, came: given() }
}

function withoutAnswer(call: ActiveCall): ActiveCall {
  const { requestState: _state, inputResponses: _responses, ...context } = call.context
  return { ...call, context }
}

async function inTurn(
  call: ActiveCall,
  { entry, action, site }: { entry: ToolEntry; action: Pick<Action, "hints">; site: Stages },
  work: () => Promise<Came>,
): Promise<Came> {
  const turn = await site.turns.take(call, entry, action)
  if (typeof turn !== "function") return notRun(turn, entry)
  let until: Promise<unknown> | undefined
  try {
    if (site.calls.closed()) return notRun(toStopped(call.subject.name, "closing", 0), entry)
    if (call.stop.aborted) return notRun(toStopped(call.subject.name, causeOf(call.stop), 0), entry)
    const came = await work()
    if (came.ending.kind === "handed") until = came.ending.ended
    return came
  } finally {
    turn(until)
  }
}

async function run(call: ActiveCall, runnable: Runnable, site: Stages): Promise<Ending> {
  const reply = await (outlasts(call, runnable) ? site.tasks.run(call, runnable, site) : runCall(call, runnable, site))
  if ("kind" in reply) return reply
  return reply.ok === "ask" ? site.midway.put(call, runnable.entry, reply) : settled(reply, runnable.entry)
}

/** Whether a run may outlast its request. With `tasksOnly`, only for a client that takes tasks. */
function outlasts({ handOver, context }: ActiveCall, { action: { long } }: Runnable): boolean {
  const tasksOnly = typeof long === "object" && long.tasksOnly === true
  return tasksOnly ? handOver !== undefined && !handOver(context).announced : long !== undefined
}

function notRun(failure: Outcome, entry?: ToolEntry): Came {
  return { ran: false, ending: settled(failure, entry) }
}

function settled(outcome: Outcome, entry?: ToolEntry): Ending {
  return { kind: "settled", outcome, ...(entry && { entry }) }
}
