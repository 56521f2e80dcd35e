import type { Action, Failure, Outcome } from "@x/agentic-service"
import { changed, type Issue, invalidInput } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution } from "../views/view.js"
import type { ActiveCall, Ending } from "./active-call.js"
import type { Begun } from "./answer-memory.js"
import type { TakenUp } from "./ask-midway.js"
import type { AskPerson } from "./ask-person.js"
import type { AnsweredQuestions, Asking } from "./asking.js"
import type { Arguments } from "./call-context.js"
import {
  type Available,
  compareSubject,
  type ScopesOf,
  type Standing,
  type Subject,
  toSubject,
} from "./call-subject.js"
import { causeOf, findLacking, toLacking, toNotAvailable, toNotReadOnly, toStopped } from "./failures.js"
import { type Runnable, type RunSite, runAction } from "./run-action.js"
import type { Turns } from "./take-turns.js"

/** What the stages need of their surroundings. */
interface Stages extends RunSite {
  /** Lets calls run as their client, and their service, may. */
  readonly turns: Turns
  /** Asks the person. */
  readonly person: AskPerson
  /** The scopes that an action takes. Default: none. */
  readonly scopes?: ScopesOf
}

/** Takes a call of a known name through its stages: scopes, check, ask the person, wait for a turn, run. */
export async function passStages(
  call: ActiveCall,
  resolution: Exclude<Resolution, { status: "unknown" }>,
  site: Stages,
): Promise<Ending> {
  if (call.context.requestState !== undefined) {
    // An answer to what was asked before comes first: what it was asked about may have changed what can be called.
    const known = site.person.recall(call)
    if (known !== undefined) return known
    const taken = await site.midway.takeUp(call)
    if (taken !== undefined) return answerMidway(call, taken, site)
  }
  if (resolution.status === "available") return (await passGate(call, resolution, { ...site, begins: 0 })).ending
  return reviveFirst(call, resolution, site)
}

/** Tries to bring an action back that is known and not there, such as one of a server that was lost, and goes on with it. */
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
  // Another thing has come back in its place: the call was not meant for it.
  if (now.entry.thing !== resolution.entry.thing) return settled(changed(call.subject.name))
  return (await passGate(call, now, { ...site, begins: 0 })).ending
}

/** What came of a turn, and whether the action ran in it. */
interface Came {
  readonly ran: boolean
  readonly ending: Ending
}

/**
 * Takes a call through everything that stands before the action, and runs it. The action that runs is the one whose scopes,
 * check, questions and turn were passed: where another gate has come to stand there in the meantime, all of it begins again.
 */
async function passGate(call: ActiveCall, found: Available, site: Stages & Beginning): Promise<Came> {
  const subject = toSubject(call, found, { scopesOf: site.scopes, redefined: site.begins > 0 })
  const { action, entry } = subject
  if (call.stop.aborted) return notRun(toStopped(call.subject.name, causeOf(call.stop), 0), entry)
  const lacking = findLacking(subject.scopes, call.context.principal)
  if (lacking.length > 0) return notRun(toLacking(call.subject.name, lacking), entry)
  if (call.onlyReads && !isReadOnly(entry)) return notRun(toNotReadOnly(call.subject.name), entry)
  const checked = await checkInput(call, subject)
  if (!checked.ok) return notRun(checked.failure, entry)
  // A note says that something was asked; what asks nothing now may be another.
  const asks = mayAsk(action) || call.context.requestState !== undefined
  const asking = asks ? await site.person.ask(call, subject, checked.input) : UNASKED
  return answerQuestions(asking, entry, (answered) => takeTurn(call, subject, { ...site, checked, answered }))
}

/** How often a call has begun anew. */
interface Beginning {
  readonly begins: number
}

/** An action that is redefined more often than this while a call waits for it is never caught up with. */
const MOST_BEGINS = 8

/** Whether there may be something to ask: by the author, by the operator of what destroys, or about another thing. */
function mayAsk({ confirm, ask, hints }: Action): boolean {
  return confirm !== undefined || ask !== undefined || hints.destructive === true
}

function isReadOnly({ definition }: ToolEntry): boolean {
  return definition.annotations.readOnlyHint === true
}

const UNASKED: Asking = { kind: "unasked" }

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

/** What did not run is as if it had not been answered. */
function tell(begun: Begun, { ran, ending }: Came): void {
  if (ran) begun.ran(ending)
  else begun.didNotRun(ending)
}

/** Takes an answer back to the action that asked while it ran; it was found and checked when it began. */
async function answerMidway(call: ActiveCall, taken: TakenUp, site: Stages): Promise<Ending> {
  if (taken.kind === "asked") return taken
  if (taken.kind === "replayed") return taken.ending
  if (taken.kind === "refused") return settled(taken.failure)
  const { entry, goOn } = taken
  const came = await inTurn(call, { entry, action: { hints: {} }, site }, async () => {
    return { ran: true, ending: await run(call, { entry, action: {}, answers: {}, run: goOn }, site) }
  })
  if (!came.ran) taken.putBack()
  tell(taken.begun, came)
  return came.ending
}

/** What a turn is taken with. */
interface TurnSite extends Stages, Beginning {
  readonly checked: { readonly input: unknown }
  readonly answered: AnsweredQuestions | undefined
}

/** Waits for a turn and runs. Whatever was waited for took its time, so the call looks again, last before it runs. */
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
    return { ran: true, ending: await run(call, { ...found, answers, run: begin }, site) }
  })
  if (redefined === undefined) return came
  // What was answered was asked about the former definition.
  return passGate(withoutAnswer(call), redefined, { ...site, begins: site.begins + 1 })
}

/** What was found last before the run. */
type LastLook =
  | { readonly kind: "runs"; readonly found: Available; readonly input: unknown }
  | { readonly kind: "ends"; readonly came: Came }
  | { readonly kind: "redefined"; readonly found: Available; readonly came: Came }

/**
 * Looks the name up again until nothing has to be waited for: an action that has become another object checks the input once more,
 * which may take its time again.
 */
async function lookAgain(call: ActiveCall, subject: Subject, site: TurnSite): Promise<LastLook> {
  let { action } = subject
  let { input } = site.checked
  const given = notRun(changed(call.subject.name), subject.entry)
  for (let looks = 0; looks < MOST_BEGINS; looks += 1) {
    const now = compareSubject(call, subject, site.scopes)
    if (now.kind !== "same") return endLook(call, now, { given, begins: site.begins })
    if (now.found.action === action) return { kind: "runs", found: now.found, input }
    const still = await checkInput(call, now.found)
    if (!still.ok) return { kind: "ends", came: notRun(still.failure, now.found.entry) }
    ;({ action } = now.found)
    ;({ input } = still)
  }
  return { kind: "ends", came: given }
}

/** How a look ends at what is not as it was. */
function endLook(
  call: ActiveCall,
  now: Exclude<Standing, { readonly kind: "same" }>,
  { given, begins }: Beginning & { readonly given: Came },
): LastLook {
  if (now.kind === "unavailable") return { kind: "ends", came: notRun(toNotAvailable(call, now.resolution)) }
  if (now.kind === "changed" || begins >= MOST_BEGINS) return { kind: "ends", came: given }
  return { kind: "redefined", found: now.found, came: given }
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
  try {
    if (site.calls.closed()) return notRun(toStopped(call.subject.name, "closing", 0), entry)
    if (call.stop.aborted) return notRun(toStopped(call.subject.name, causeOf(call.stop), 0), entry)
    return await work()
  } finally {
    turn()
  }
}

async function run(call: ActiveCall, runnable: Runnable, site: Stages): Promise<Ending> {
  const reply = await runAction(call, runnable, site)
  return reply.ok === "ask" ? site.midway.put(call, runnable.entry, reply) : settled(reply, runnable.entry)
}

function notRun(failure: Outcome, entry?: ToolEntry): Came {
  return { ran: false, ending: settled(failure, entry) }
}

function settled(outcome: Outcome, entry?: ToolEntry): Ending {
  return { kind: "settled", outcome, ...(entry && { entry }) }
}

/** Input the action takes, or the failure that says where it is wrong. */
type CheckedInput = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly failure: Failure }

/** Turns the arguments into the action's input and has the action check it. */
async function checkInput(call: ActiveCall, { entry, action }: Available): Promise<CheckedInput> {
  const extra = findExtra(call.args, entry)
  if (extra.length > 0) return { ok: false, failure: invalidInput(call.subject.name, extra) }
  const checked = await action.check(entry.toInput(call.args))
  if (checked.ok) return checked
  if (checked.failure !== undefined) return { ok: false, failure: checked.failure }
  // The caller knows the arguments as they are published, so the places must be in those.
  const issues = checked.issues.map(({ path, message }) => ({ path: entry.toSentPlace(path, call.args), message }))
  return { ok: false, failure: invalidInput(call.subject.name, issues) }
}

/** Where the arguments are of our own making, the action's check never sees one that should not be there. */
function findExtra(args: Arguments, { schema, wrapped }: ToolEntry): readonly Issue[] {
  if (schema !== undefined && wrapped === undefined) return []
  const expected = wrapped === undefined ? "no arguments" : `only "${wrapped}"`
  const extra = Object.keys(args).filter((key) => key !== wrapped)
  return extra.map((key) => ({ path: [key], message: `expected ${expected}` }))
}
