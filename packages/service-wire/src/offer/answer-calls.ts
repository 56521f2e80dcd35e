import {
  type Action,
  type Answers,
  type ExecuteContext,
  type Failure,
  type Reply,
  ServiceError,
} from "@x/agentic-service"
import { changed, executeAction, invalidInput, notAvailable, thingOf } from "@x/agentic-service/adapter"
import { type JsonValue, toJson } from "@x/base"
import { type AnyFrame, isId } from "../frames.js"
import { askingOf, gateOf, writeWords } from "../identity.js"
import { checkAnswers, notAccepted, notLinked, undecided } from "../reply.js"
import type { OfferedGraph } from "./offered-graph.js"
import type { AskedHere, OfferedService } from "./offered-service.js"

/** Asks the person in front of the application, instead of the person in front of the caller. */
export type AskHere = (asked: AskedHere) => Promise<Answers | "declined" | "cancelled">

/** A request that is being answered. */
export interface Request {
  /** The number of the request. */
  readonly id: number
  /** The frame of the request. */
  readonly frame: AnyFrame
  /** The caller, and the signal that aborts when it gives up. */
  readonly context: ExecuteContext
}

/**
 * Returns the service and the key that a frame names. A service made anew with the same author's identity gets another number,
 * so a frame that was on its way finds it by that identity.
 */
export function find(
  frame: AnyFrame,
  graph: OfferedGraph,
): { readonly service: OfferedService | undefined; readonly key: string } {
  const { s, k, of } = frame
  const numbered = isId(s) ? graph.find(s) : undefined
  const service = numbered ?? (typeof of === "string" ? graph.findThing(of) : undefined)
  return { service, key: typeof k === "string" ? k : "" }
}

/** Whether a service still has the identity that the frame names. Older sides send none. */
export function isFor({ of }: AnyFrame, { service }: OfferedService): boolean {
  return of === undefined || of === thingOf(service)
}

/** Runs an action by the path that all callers take. With `ask`, the person on this side answers its questions first. */
export async function callAction(
  { frame, context }: Request,
  { graph, ask }: { readonly graph: OfferedGraph; readonly ask: AskHere | undefined },
): Promise<Reply> {
  const { service, key } = find(frame, graph)
  if (service === undefined) return notAvailable(key, { reason: notLinked, callable: [] })
  if (!isFor(frame, service)) return changed(key)
  const bound = { ...context, thing: thingOf(service.service) }
  const call: Call = { service, key, input: frame["i"], frame, context: bound }
  return ask === undefined ? run(call, (action, input) => isWhatWasShown(frame, action, input)) : askAndRun(call, ask)
}

/** A call whose identity has been compared, with the context that carries the identity. */
interface Call extends Pick<Request, "context" | "frame"> {
  readonly service: OfferedService
  readonly key: string
  readonly input: unknown
}

/** Runs an action unless its identity has changed or its questions differ from those agreed to. */
function run(
  { service: { service }, key, input, frame, context }: Call,
  agreed: (action: Action, input: unknown) => boolean,
): Promise<Reply> {
  const guard = (action: Action, checked: unknown): Failure | undefined => {
    const same = thingOf(service) === context.thing && isWhatWasSeen(frame, action)
    return same && agreed(action, checked) ? undefined : changed(key)
  }
  return executeAction<Reply>(service, { action: key, input, context, guard })
}

/** Whether an action still asks the questions that the person answered. Older sides do not send them. */
function isWhatWasShown({ w }: AnyFrame, action: Action, input: unknown): boolean {
  return w === undefined || w === writeWords(askingOf(action, input))
}

/** Whether an action is still the one that the caller saw. The description of a harmless action may change at any time. */
function isWhatWasSeen({ g }: AnyFrame, action: Action): boolean {
  const { confirm, ask, hints } = action
  const harmless = confirm === undefined && ask === undefined && hints.readOnly === true && hints.destructive !== true
  return g === undefined || harmless || g === gateOf(action)
}

/** Asks the person on this side again until the answered questions are still those that the action asks. */
async function askAndRun(call: Call, ask: AskHere): Promise<Reply> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const asked = await askHere(call, ask)
    if ("ok" in asked) return asked
    let stale = false
    const reply = await run({ ...call, context: asked.context }, (action, input) => {
      stale = writeWords(askingOf(action, input)) !== asked.words
      return !stale
    })
    if (!stale) return reply
  }
  return changed(call.key)
}

/** How often a person is asked in total if the questions change meanwhile. */
const ROUNDS = 3

async function askHere(
  { service, key, input, context }: Call,
  ask: AskHere,
): Promise<Failure | { readonly context: ExecuteContext; readonly words: string }> {
  const action = service.maps.actions.find(key)
  if (action === undefined || (action.confirm === undefined && action.ask === undefined)) return { context, words: "" }
  const checked = await action.check(input)
  if (!checked.ok) return checked.failure ?? invalidInput(key, checked.issues)
  const asking = askingOf(action, checked.input)
  const answers: unknown = await ask({
    action: key,
    ...(action.title !== undefined && { title: action.title }),
    destructive: action.hints.destructive === true,
    ...(asking.confirm !== undefined && { confirm: asking.confirm }),
    questions: asking.ask ?? {},
    signal: context.signal,
  })
  if (answers === "declined") return notAccepted(key)
  if (answers === "cancelled") return undecided(key)
  return { context: { ...context, answers: checkAnswers(answers), confirmed: true }, words: writeWords(asking) }
}

/** Checks the input of an action that asks, and returns its questions. */
export async function checkInput({ frame }: Request, graph: OfferedGraph): Promise<JsonValue> {
  const { service, key } = find(frame, graph)
  const action = service?.maps.actions.find(key)
  if (service === undefined || action === undefined) return { ok: "gone" }
  const thing = thingOf(service.service)
  if (!isFor(frame, service)) return { ok: "changed" }
  const checked = await action.check(frame["i"])
  if (thingOf(service.service) !== thing) return { ok: "changed" }
  if (!checked.ok) return toJson({ ok: false, issues: checked.issues, failure: checked.failure })
  return toJson({ ok: true, ...askingOf(action, checked.input) })
}

/** Reads a state whose value is held elsewhere. */
export async function readState({ frame, context }: Request, graph: OfferedGraph): Promise<JsonValue> {
  const { service, key } = find(frame, graph)
  const remote = service?.maps.states.find(key)?.remote
  if (service === undefined || remote === undefined) return { ok: false, message: `no state "${key}" is available now` }
  const thing = thingOf(service.service)
  if (!isFor(frame, service)) return replaced
  try {
    const parts = await remote.read({ ...context, thing })
    return thingOf(service.service) === thing ? toJson({ ok: true, parts }) : replaced
  } catch (thrown) {
    // Other errors may contain text that is not meant for the caller.
    return {
      ok: false,
      message: ServiceError.from(thrown) === thrown ? ServiceError.from(thrown).message : "it failed",
    }
  }
}

const replaced: JsonValue = { ok: false, message: "it has been replaced since you found it" }
