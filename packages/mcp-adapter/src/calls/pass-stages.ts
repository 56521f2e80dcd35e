import type { Action, Failure, Outcome } from "@x/agentic-service"
import { type Issue, invalidInput } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution } from "../views/view.js"
import type { ActiveCall, Ending } from "./active-call.js"
import type { Begun } from "./answer-memory.js"
import type { TakenUp } from "./ask-midway.js"
import type { AnsweredQuestions, Asking, AskPerson } from "./ask-person.js"
import type { Arguments } from "./call-context.js"
import { causeOf, findLacking, toLacking, toNotAvailable, toStopped } from "./failures.js"
import { type Runnable, type RunSite, runAction } from "./run-action.js"
import type { Turns } from "./take-turns.js"

/** What the stages need of their surroundings. */
interface Stages extends RunSite {
  /** Lets calls run as their client, and their service, may. */
  readonly turns: Turns
  /** Asks the person. */
  readonly person: AskPerson
  /** The scopes that an action takes. Default: none. */
  readonly scopes?: (entry: ToolEntry) => readonly string[]
}

type Available = Extract<Resolution, { status: "available" }>

/** Takes a call of a known name through its stages: check, ask the person, wait for a turn, run. */
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
  if (resolution.status === "unavailable") return settled(toNotAvailable(call, resolution))
  const { action, entry } = resolution
  if (call.stop.aborted) return settled(toStopped(call.subject.name, causeOf(call.stop), 0), entry)
  const lacking = site.scopes ? findLacking(site.scopes(entry), call.context.principal) : []
  if (lacking.length > 0) return settled(toLacking(call.subject.name, lacking), entry)
  const checked = await checkInput(call, resolution)
  if (!checked.ok) return settled(checked.failure, entry)
  const asking = mayAsk(action) ? await site.person.ask(call, action, checked.input) : UNASKED
  return answerQuestions(asking, entry, (answered) => takeTurn(call, resolution, { checked, answered, ...site }))
}

/** Whether there may be something to ask: by the author, or by the operator of what destroys. */
function mayAsk({ confirm, ask, hints }: Action): boolean {
  return confirm !== undefined || ask !== undefined || hints.destructive === true
}

const UNASKED: Asking = { kind: "unasked" }

async function answerQuestions(
  asking: Asking,
  entry: ToolEntry,
  run: (answered: AnsweredQuestions | undefined) => Promise<Came>,
): Promise<Ending> {
  switch (asking.kind) {
    case "unasked":
      return (await run(undefined)).ending
    case "asked":
      return asking
    case "incapable":
      return { kind: "incapable", required: { elicitation: {} } }
    case "refused":
      return settled(asking.failure, entry)
    case "replayed":
      return asking.ending
    case "answered":
      return tell(asking.begun, await run(asking))
  }
}

/** What came of a turn, and whether the action ran in it. */
interface Came {
  readonly ran: boolean
  readonly ending: Ending
}

/** What did not run is as if it had not been answered. */
function tell(begun: Begun, { ran, ending }: Came): Ending {
  if (ran) begun.ran(ending)
  else begun.didNotRun(ending)
  return ending
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
  return tell(taken.begun, came)
}

/** Waits for a turn and runs. The check, the person and the wait may have taken their time, so it looks again first. */
function takeTurn(
  call: ActiveCall,
  available: Available,
  site: Stages & { readonly checked: { readonly input: unknown }; readonly answered: AnsweredQuestions | undefined },
): Promise<Came> {
  return inTurn(call, { site, ...available }, async () => {
    const again = call.view.resolve(call.subject.name)
    if (again.status !== "available") return notRun(toNotAvailable(call, again))
    const { action, entry } = again
    const still = action === available.action ? { ok: true as const, ...site.checked } : await checkInput(call, again)
    if (!still.ok) return notRun(still.failure, entry)
    const asked = site.answered?.reread(action, still.input)
    if (asked !== undefined) return { ran: false, ending: asked }
    const answers = site.answered?.answers ?? {}
    const begin: Runnable["run"] = (context) => action.execute(still.input, context)
    return { ran: true, ending: await run(call, { entry, action, answers, run: begin }, site) }
  })
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
async function checkInput(
  call: ActiveCall,
  { entry, action }: Extract<Resolution, { status: "available" }>,
): Promise<CheckedInput> {
  const extra = findExtra(call.args, entry)
  if (extra.length > 0) return { ok: false, failure: invalidInput(call.subject.name, extra) }
  const checked = await action.check(entry.toInput(call.args))
  if (checked.ok) return checked
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
