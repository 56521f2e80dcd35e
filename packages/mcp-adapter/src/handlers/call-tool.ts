import { memoise, type ObjectSchema } from "@x/tool-schemas"
import { isRecord } from "@x/tool-schemas/json"
import type { AskedCall, CallAnswer, SettledCall } from "../calls/active-call.js"
import { type CallContext, toClientKey } from "../calls/call-context.js"
import type { NamedCall } from "../calls/create-calls.js"
import { confirmedBy } from "../calls/question-form.js"
import type { Diff } from "../catalogue/diff.js"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import type { StateMode } from "../exposures/state-mode.js"
import { type WaitSite, waitUntil } from "../views/wait-until.js"
import { type CatchUp, type CatchUpOptions, hasChanged, isEmpty, type SettleOptions, toCatchUp } from "./catch-up.js"
import { type Handler, INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError, type Result } from "./handler.js"
import type { HandlerOptions, Patience } from "./handler-options.js"
import { limitResult } from "./limit-result.js"
import { onOwnLine, type ToolResult, toText, toToolResult } from "./tool-result.js"

/** Answers tools/call: whatever comes of the call is a result; only a name that never existed is an error. */
export function createCallTool(options: HandlerOptions): Handler {
  const tellChanges = createTellChanges(options)
  let noted = false
  return async (params, context) => {
    const { name, arguments: args = {} } = params
    if (typeof name !== "string" || !isRecord(args)) {
      throw new ProtocolError(INVALID_PARAMS, 'expected "name", a string, and "arguments", an object')
    }
    // What changed is read from the view once the call is over.
    const release = options.view.hold()
    if (!noted && options.catchUp !== undefined && options.states !== "omit") options.view.noteAll()
    noted = true
    try {
      const answer = await callTool(options, { name, args, context })
      if (answer.kind !== "settled") return toUnsettled(answer)
      refuse(answer, context)
      const result = await tellChanges(answer, toRoomy(answer, options), context)
      const schema = (): ObjectSchema | undefined => toDeclared(answer.entry, options)
      return await limitResult({ tool: name, result, schema, verbatim: answer.outcome.verbatim === true }, options)
    } finally {
      release()
    }
  }
}

/** The output schema as it is listed. */
function toDeclared(entry: ToolEntry | undefined, { catchUp }: HandlerOptions): ObjectSchema | undefined {
  if (entry === undefined) return undefined
  return (catchUp === undefined ? entry.definition : declareChanges(entry.definition)).outputSchema
}

/**
 * Where `changes` is declared beside what an author's schema leaves open, a value of that name that is no object moves aside:
 * a client would refuse the whole result, after it ran.
 */
function toRoomy(answer: SettledCall, options: HandlerOptions): ToolResult {
  const { entry } = answer
  const result = toToolResult(answer, options)
  const { structuredContent: structured, isError } = result
  if (structured === undefined || isError || options.catchUp === undefined) return result
  const { changes: own, ...rest } = structured
  if (own === undefined || isRecord(own) || !hasRoom(entry?.definition.outputSchema)) return result
  const moved = { ...rest, changes_: own }
  return { ...result, structuredContent: moved, content: [toText(JSON.stringify(moved)), ...result.content.slice(1)] }
}

/**
 * What another server refused in the protocol's words is refused in the same, and so is a state that a client did not hand back
 * as it was. A token that a model made up is no state of its client's: that is for the model to read.
 */
function refuse({ outcome }: SettledCall, { requestState }: CallContext): void {
  if (outcome.ok || outcome.refusal === undefined) return
  if (outcome.code === "invalid_input" && requestState === undefined) return
  const { code, data } = outcome.refusal
  throw new ProtocolError(code, outcome.message, { data })
}

function toUnsettled(answer: Exclude<CallAnswer, SettledCall>): Result {
  switch (answer.kind) {
    case "asked":
      return toInputRequired(answer)
    case "incapable":
      throw new ProtocolError(
        MISSING_CAPABILITY,
        "a person has to be asked, and the client did not declare elicitation",
        {
          data: { requiredCapabilities: answer.required },
        },
      )
    case "unknown":
      throw new ProtocolError(INVALID_PARAMS, `unknown tool "${answer.name.slice(0, shownName)}"`)
  }
}

/** Asks for the answers (2026-07-28, basic/patterns/mrtr). On a legacy connection the SDK puts the questions itself. */
function toInputRequired({ questions, state }: AskedCall): Result {
  const inputRequests = Object.fromEntries(
    Object.entries(questions).map(([key, { message, schema }]) => [
      key,
      { method: "elicitation/create", params: { mode: "form", message, requestedSchema: schema } },
    ]),
  )
  return { resultType: "input_required", inputRequests, requestState: state }
}

async function callTool({ view, calls, exposure, host }: HandlerOptions, tool: NamedCall): Promise<CallAnswer> {
  const { name, args, context } = tool
  const exposed = exposure.resolve(view, name)
  if (exposed.kind === "action") return calls.call(view, { ...tool, name: exposed.name })
  const { builtIn } = exposed
  await view.ready()
  const target = builtIn.target?.(args, view)
  if (target !== undefined) {
    const { aim, confirm, ...call } = target
    const named = { ...call, context: confirmed(context, confirm), ...(aim && { target: aim.target }) }
    return calls.call(aim?.view ?? view, named)
  }
  return calls.callOwn(view, tool, () => builtIn.run(args, { view, context, host, acquaintance: calls.acquaintance }))
}

function confirmed(context: CallContext, confirm: string | undefined): CallContext {
  return confirm === undefined ? context : { ...context, ...confirmedBy(confirm) }
}

/** A name is at most as long as any that MCP allows; a longer one is not worth repeating. */
const shownName = 128

/** Adds to the result of a call what has changed since it began, once it can be seen, as far as the options want it. */
type TellChanges = (answer: SettledCall, result: ToolResult, context: CallContext) => Promise<ToolResult>

/** Tells the changes of one view. */
function createTellChanges(options: HandlerOptions): TellChanges {
  const { view, calls, catchUp, states, patience } = options
  return async (answer, result, context) => {
    const notes = await awaitChanges(answer, options, { patience, signal: context.stop ?? context.signal })
    // Where nothing has been taken in since the call began, nothing has changed.
    if (notes.length === 0 && (catchUp === undefined || view.revision() === answer.revision)) return result
    const diff = catchUp === undefined ? emptyDiff : view.readSince(answer.revision, toClientKey(context))
    if (diff !== undefined && !isEmpty(diff)) calls.caughtUp(answer, diff)
    const told = toCatchUp(diff, { states, at: view.at, budget: catchUp?.budgetChars ?? 0, notes })
    noteReplaced(told, options, context)
    return addCatchUp(result, told, answer.entry)
  }
}

/** Notes which services a client is told to be others now. */
function noteReplaced(told: CatchUp | undefined, { view, calls }: HandlerOptions, context: CallContext): void {
  if (told === undefined) return
  for (const path of told.replaced) calls.acquaintance.saw(view, context, path)
}

const none = { appeared: [], vanished: [], redefined: [], replaced: [] } as const
const emptyDiff: Diff = { tools: none, states: none, links: none, values: [] } as const

/** What decides how long a call that is over waits for the application. */
interface AwaitOptions extends WaitSite {
  /** How states reach the client: what it is not shown, it does not wait for. */
  readonly states: StateMode
  /** How long it waits for a first change. */
  readonly catchUp: CatchUpOptions | undefined
  /** How long it waits for the last. */
  readonly settle: SettleOptions | undefined
  /** Knows which actions to wait for. */
  readonly patience: Patience
}

/** Waits until what a call changed can be seen, within bounds; says what to tell of that. */
async function awaitChanges(
  answer: SettledCall,
  given: Omit<AwaitOptions, "patience" | "signal">,
  waiting: Pick<AwaitOptions, "patience" | "signal">,
): Promise<readonly string[]> {
  const { entry } = answer
  if (entry === undefined || entry.definition.annotations.readOnlyHint === true) return []
  const options = { patience: waiting.patience, signal: waiting.signal, ...given }
  if (options.settle !== undefined) return awaitQuiet(options, options.settle)
  await awaitFirst(answer, entry, options)
  return []
}

async function awaitFirst({ outcome, revision }: SettledCall, entry: ToolEntry, options: AwaitOptions): Promise<void> {
  const { view, catchUp, patience, states } = options
  if (catchUp === undefined) return
  // Where nothing has been taken in there is nothing to compare.
  const look = (): true | undefined => (view.revision() !== revision && hasChanged(view, revision, states)) || undefined
  if (look()) return patience.learn(entry, "at once")
  if (!outcome.ok || catchUp.waitMs <= 0 || !patience.for(entry)) return
  const came = await waitUntil(options, catchUp.waitMs, look)
  if (!options.signal.aborted) patience.learn(entry, came ? "late" : "never")
}

/** Waits until nothing changes for a while, as far as the caller may see. */
async function awaitQuiet(options: AwaitOptions, settle: SettleOptions): Promise<readonly string[]> {
  const { view, host, states, signal } = options
  const { quietMs: quiet = 50, limitMs: limit = 2_000 } = settle
  const end = host.clock.now() + limit
  while (!signal.aborted) {
    const left = end - host.clock.now()
    if (left <= 0) return [`the application was still changing ${limit} ms after the call`]
    const revision = view.revision()
    const look = (): true | undefined => hasChanged(view, revision, states) || undefined
    if (!(await waitUntil(options, Math.min(quiet, left), look)) && left >= quiet) return []
  }
  return []
}

/** Nothing learnt yet: every action is worth waiting for. What is learnt counts for whoever calls the same action. */
export function createPatience(): Patience {
  const left = new Map<string, number>()
  const keyOf = ({ thing, key }: ToolEntry): string => `${key} ${thing}`
  const of = (action: string): number => left.get(action) ?? TRIES
  const after = { "at once": () => 0, late: () => TRIES, never: (tries: number) => tries - 1 }
  return {
    for: (entry) => of(keyOf(entry)) > 0,
    learn(entry, came) {
      const action = keyOf(entry)
      // Things come and go.
      if (left.size >= MOST_LEARNT) left.clear()
      left.set(action, after[came](of(action)))
    },
  }
}

/** Of how many actions it is known whether to wait for them. */
const MOST_LEARNT = 10_000

/** How often in a row an action is waited for in vain. */
const TRIES = 3

/**
 * Adds to a result what changed. A structured one gets it as its property `changes`, and so in the text, which is the same
 * as JSON; any other as a text of its own, after the rest.
 */
function addCatchUp(result: ToolResult, catchUp: CatchUp | undefined, entry: ToolEntry | undefined): ToolResult {
  if (catchUp === undefined) return result
  const { content, isError, structuredContent: structured } = result
  // A failure says first what happened, so its structured part stays as its author wrote it.
  if (
    isError ||
    structured === undefined ||
    !hasRoom(entry?.definition.outputSchema) ||
    Object.hasOwn(structured, "changes")
  ) {
    return { ...result, content: [...content, onOwnLine(toText(catchUp.text))] }
  }
  const structuredContent = { ...structured, changes: catchUp.json }
  // The first block of a structured result is its text, and stays so: older clients read that as JSON.
  return { ...result, content: [toText(JSON.stringify(structuredContent)), ...content.slice(1)], structuredContent }
}

/**
 * Adds the optional property `changes` to a published output schema, so that what changed fits in a structured result too.
 * A definition without such a schema, or without room in it, stays as it is. The same object gives the same result.
 */
export const declareChanges: (definition: ToolDefinition) => ToolDefinition = memoise((definition) => {
  const { outputSchema } = definition
  if (!hasRoom(outputSchema)) return definition
  const properties = Object.freeze({ ...Object(outputSchema["properties"]), changes })
  return Object.freeze({ ...definition, outputSchema: Object.freeze({ ...outputSchema, properties }) })
})

/**
 * Whether `changes` can stand beside the author's own properties: not where there is one of that name already, nor where a
 * rule for any property would hold for it too.
 */
function hasRoom(schema: ObjectSchema | undefined): schema is ObjectSchema {
  if (schema === undefined || RULES_FOR_ALL.some((keyword) => keyword in schema)) return false
  return !Object.hasOwn(Object(schema["properties"]), "changes")
}

const RULES_FOR_ALL = ["patternProperties", "propertyNames", "maxProperties"]

/** What stands in it depends on what changed; a property without a type is none to some clients. */
const changes = Object.freeze({ type: "object", description: "What changed in the application since the call began" })
