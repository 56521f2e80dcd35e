import type { Answers, Failure, Outcome } from "@x/agentic-service"
import { type Issue, invalidInput } from "@x/agentic-service/adapter"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution } from "../views/view.js"
import type { ActiveCall, AskedCall, IncapableCall, SettledCall } from "./active-call.js"
import type { Asking, AskPerson } from "./ask-person.js"
import type { Arguments } from "./call-context.js"
import { causeOf, findLacking, toLacking, toNotAvailable, toStopped } from "./failures.js"
import { type RunSite, runAction } from "./run-action.js"
import type { Turns } from "./take-turns.js"

/** What a call comes to. */
export type Ending = Omit<SettledCall, "revision"> | AskedCall | IncapableCall

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
  if (resolution.status === "unavailable") return settled(toNotAvailable(call, resolution))
  const { action, entry } = resolution
  if (call.context.signal.aborted) return settled(toStopped(call.subject.name, causeOf(call.context.signal), 0), entry)
  const lacking = findLacking(site.scopes?.(entry) ?? [], call.context.principal)
  if (lacking.length > 0) return settled(toLacking(call.subject.name, lacking), entry)
  const checked = await checkInput(call, resolution)
  if (!checked.ok) return settled(checked.failure, entry)
  const asking = await site.person.ask(call, action, checked.input)
  return answerQuestions(asking, entry, (answers) => takeTurn(call, resolution, { ...site, checked, answers }))
}

async function answerQuestions(
  asking: Asking,
  entry: ToolEntry,
  run: (answers: Answers) => Promise<Outcome>,
): Promise<Ending> {
  switch (asking.kind) {
    case "unasked":
      return settled(await run({}), entry)
    case "question":
      return { kind: "asked", questions: asking.questions, state: asking.state }
    case "incapable":
      return { kind: "incapable", required: { elicitation: {} } }
    case "refused":
      return settled(asking.failure, entry)
    case "replayed":
      return settled(await asking.outcome, entry)
    case "answered": {
      const outcome = await run(asking.answers)
      asking.settle(outcome)
      return settled(outcome, entry)
    }
  }
}

/** Waits for a turn and runs. The check, the person and the wait may have taken their time, so it looks again first. */
async function takeTurn(
  call: ActiveCall,
  { action, entry }: Available,
  site: Stages & { readonly checked: { readonly input: unknown }; readonly answers: Answers },
): Promise<Outcome> {
  const turn = await site.turns.take(call, entry, action)
  if (typeof turn !== "function") return turn
  try {
    if (site.calls.closed()) return toStopped(call.subject.name, "closing", 0)
    const again = call.view.resolve(call.subject.name)
    if (again.status !== "available") return toNotAvailable(call, again)
    if (call.context.signal.aborted) return toStopped(call.subject.name, causeOf(call.context.signal), 0)
    const still = again.action === action ? { ok: true as const, ...site.checked } : await checkInput(call, again)
    if (!still.ok) return still.failure
    return await runAction(call, { ...again, input: still.input, answers: site.answers }, site)
  } finally {
    turn()
  }
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
