import { isRecord } from "@x/base"
import type { ObjectSchema } from "@x/tool-schemas"
import type { AskedCall, CallAnswer, HandedCall, SettledCall } from "../calls/active-call.js"
import { type CallContext, toClientKey } from "../calls/call-context.js"
import { confirmedBy } from "../calls/consent/question-form.js"
import type { NamedCall } from "../calls/create-calls.js"
import type { TaskNews } from "../calls/tasks/task-news.js"
import type { Diff } from "../catalogue/diff.js"
import type { ToolEntry } from "../catalogue/entry.js"
import type { StateMode } from "../exposures/state-mode.js"
import { type WaitSite, waitUntil } from "../views/wait-until.js"
import { type CatchUp, type CatchUpOptions, hasChanged, isEmpty, type SettleOptions, toCatchUp } from "./catch-up.js"
import { declareChanges, hasRoom } from "./declare-changes.js"
import { mostValues } from "./fit-sections.js"
import { createHandOver, takesTasks, toCreatedTask, toHandle } from "./hand-over.js"
import { type Handler, INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError, type Result } from "./handler.js"
import type { HandlerOptions, Patience } from "./handler-options.js"
import { limitResult } from "./limit-result.js"
import { onOwnLine, type ToolResult, toText, toToolResult } from "./tool-result.js"

/** Answers tools/call. Every end of a call is a result; only unknown names are errors. */
export function createCallTool(options: HandlerOptions): Handler {
  const tellChanges = createTellChanges(options)
  const handOver = createHandOver(options, async (settled) => {
    refuse(settled, {})
    const tool = settled.entry?.name ?? ""
    return limit({ tool, answer: settled, result: toRoomy(settled, options) }, options)
  })
  const toHanded = async (answer: HandedCall, context: CallContext): Promise<Result> => {
    if (takesTasks(context)) return toCreatedTask(answer.task)
    const { entry, revision = options.view.revision() } = answer
    const told: Told = { kind: "settled", outcome: { ok: true }, entry, revision, runs: true }
    return tellChanges(told, toHandle(answer, options), context)
  }
  let noted = false
  return async (params, context) => {
    const { name, arguments: args = {} } = params
    if (typeof name !== "string" || !isRecord(args)) {
      throw new ProtocolError(INVALID_PARAMS, 'expected "name", a string, and "arguments", an object')
    }
    // The view must stay open until the changes are read after the call.
    const release = options.view.hold()
    if (!noted && options.catchUp !== undefined && options.states !== "omit") options.view.noteAll()
    noted = true
    try {
      const answer = await callTool(options, { name, args, context, handOver })
      if (answer.kind === "handed") return await toHanded(answer, context)
      if (answer.kind !== "settled") return toUnsettled(answer)
      refuse(answer, context)
      const result = await tellChanges(answer, toRoomy(answer, options), context)
      return await limit({ tool: name, answer, result }, options)
    } finally {
      release()
    }
  }
}

/** A result, and the call that it belongs to. */
interface Limited {
  readonly tool: string
  readonly answer: SettledCall
  readonly result: ToolResult
}

/** Shortens the result of a call. */
function limit({ tool, answer, result }: Limited, options: HandlerOptions): ToolResult | Promise<ToolResult> {
  const schema = (): ObjectSchema | undefined => toDeclared(answer.entry, options)
  return limitResult({ tool, result, schema, verbatim: answer.outcome.verbatim === true }, options)
}

/** Returns a tool's output schema as listed. */
function toDeclared(entry: ToolEntry | undefined, { catchUp, longSchema }: HandlerOptions): ObjectSchema | undefined {
  if (entry === undefined || (longSchema === "omit" && entry.long === true)) return undefined
  return (catchUp === undefined ? entry.definition : declareChanges(entry.definition)).outputSchema
}

/**
 * Renames a value's own non-object member `changes` when the listed schema declares `changes` beside an open author's schema.
 * Otherwise a client would reject the whole result after the action ran.
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
 * Throws another server's protocol error with its original code, and likewise for a modified request state. A token invented by
 * a model is no request state, so the model gets that failure as a result.
 */
function refuse({ outcome }: SettledCall, { requestState }: Pick<CallContext, "requestState">): void {
  if (outcome.ok || outcome.refusal === undefined) return
  if (outcome.code === "invalid_input" && requestState === undefined) return
  const { code, data } = outcome.refusal
  throw new ProtocolError(code, outcome.message, { data })
}

function toUnsettled(answer: Exclude<CallAnswer, SettledCall | HandedCall>): Result {
  switch (answer.kind) {
    case "asked":
      return toInputRequired(answer)
    case "incapable":
      throw new ProtocolError(
        MISSING_CAPABILITY,
        "a person must answer first: the client has to declare the capability elicitation",
        {
          data: { requiredCapabilities: answer.required },
        },
      )
    case "unknown":
      throw new ProtocolError(INVALID_PARAMS, `unknown tool "${answer.name.slice(0, shownName)}"`)
  }
}

/** Creates a request for answers (2026-07-28, basic/patterns/mrtr). On legacy connections the SDK itself puts the questions. */
function toInputRequired({ questions, requests, state }: AskedCall): Result {
  const forms = Object.fromEntries(
    Object.entries(questions).map(([key, { message, schema }]) => [
      key,
      { method: "elicitation/create", params: { mode: "form", message, requestedSchema: schema } },
    ]),
  )
  return { resultType: "input_required", inputRequests: { ...requests, ...forms }, requestState: state }
}

async function callTool(options: HandlerOptions, tool: NamedCall): Promise<CallAnswer> {
  const { view, calls, exposure, host } = options
  const { name, args, context, handOver } = tool
  const exposed = exposure.resolve(view, name)
  // Calls through our own tools repeat none of their arguments in headers.
  if (exposed.kind === "action") {
    return callAction(options, { name: exposed.name, args, context, handOver, header: context.header })
  }
  const { builtIn } = exposed
  await view.ready()
  const target = builtIn.target?.(args, view)
  if (target !== undefined) {
    const { aim, confirm, ...call } = target
    const named = { ...call, context: confirmed(context, confirm), ...(aim && { target: aim.target }) }
    return callAction(options, named, aim?.view)
  }
  return calls.callOwn(view, tool, () =>
    builtIn.run(args, { view, context, host, acquaintance: calls.acquaintance, tasks: calls.tasks }),
  )
}

/** Calls an action by its name, or by the name of a tool that stands for several items, of which the arguments name one. */
async function callAction(
  { view, calls, exposure: { items } }: HandlerOptions,
  call: NamedCall,
  at = view,
): Promise<CallAnswer> {
  if (items === undefined) return calls.call(at, call)
  await view.ready()
  const own = items.toOwn(view, call, at)
  const nameOf = (entry: ToolEntry): string => items.of(view, entry)?.tool.name ?? entry.name
  if (own === undefined) return calls.call(at, { ...call, nameOf })
  if ("failure" in own) return calls.callOwn(view, call, () => own.failure)
  return calls.call(at, { ...call, ...own, nameOf })
}

function confirmed(context: CallContext, confirm: string | undefined): CallContext {
  return confirm === undefined ? context : { ...context, ...confirmedBy(confirm) }
}

/** The longest name repeated in a message: the maximum that MCP allows. */
const shownName = 128

/** A call whose result is told. */
interface Told extends SettledCall {
  /** Whether its action still runs, so that nothing is waited for. */
  readonly runs?: true
}

/** Adds the changes since a call began to its result, once they are visible, as far as the options ask for it. */
type TellChanges = (answer: Told, result: ToolResult, context: CallContext) => Promise<ToolResult>

/** Creates a reporter of one view's changes. */
function createTellChanges(options: HandlerOptions): TellChanges {
  const { view, calls, catchUp, states, patience, exposure } = options
  const { items } = exposure
  const itemOf = items && ((entry: ToolEntry) => items.of(view, entry))
  const read = (answer: Told, context: CallContext): Diff | undefined => {
    if (catchUp === undefined) return emptyDiff
    const reader = { client: toClientKey(context), most: mostValues(catchUp.budgetChars) }
    const diff = view.readSince(answer.revision, reader)
    if (diff !== undefined && !isEmpty(diff)) calls.caughtUp(answer, diff)
    return diff
  }
  return async (answer, result, context) => {
    const unsettled = await awaitChanges(answer, options, { patience, signal: context.stop ?? context.signal })
    const notes = addNews(unsettled, calls.tasks.news, context)
    // An equal revision means that nothing has changed since the call began.
    if (notes.length === 0 && (catchUp === undefined || view.revision() === answer.revision)) return result
    const diff = read(answer, context)
    const told = toCatchUp(diff, { states, at: view.at, budget: catchUp?.budgetChars ?? 0, notes, itemOf })
    noteReplaced(told, options, context)
    return addCatchUp(result, told, answer.entry)
  }
}

/** Adds what a caller has not heard of its tasks. */
function addNews(
  notes: readonly string[],
  news: Pick<TaskNews, "count" | "take">,
  context: CallContext,
): readonly string[] {
  return news.count === 0 ? notes : [...notes, ...news.take(context)]
}

/** Records that a client was told about replaced services. */
function noteReplaced(told: CatchUp | undefined, { view, calls }: HandlerOptions, context: CallContext): void {
  if (told === undefined) return
  for (const path of told.replaced) calls.acquaintance.saw(view, context, path)
}

const none = { appeared: [], vanished: [], redefined: [], replaced: [] } as const
const emptyDiff: Diff = { tools: none, states: none, links: none, values: [] } as const

/** Options that decide how long a finished call waits for the application. */
interface AwaitOptions extends WaitSite {
  /** The state mode: changes hidden from the client are not waited for. */
  readonly states: StateMode
  /** Options of waiting for a first change. */
  readonly catchUp: CatchUpOptions | undefined
  /** Options of waiting until the application has settled. */
  readonly settle: SettleOptions | undefined
  /** Knows which actions are worth waiting for. */
  readonly patience: Patience
}

/** Waits within bounds until a call's changes are visible. Returns notes for the result. */
async function awaitChanges(
  answer: Told,
  given: Omit<AwaitOptions, "patience" | "signal">,
  waiting: Pick<AwaitOptions, "patience" | "signal">,
): Promise<readonly string[]> {
  const { entry, runs } = answer
  if (entry === undefined || runs === true || entry.definition.annotations.readOnlyHint === true) return []
  const options = { patience: waiting.patience, signal: waiting.signal, ...given }
  if (options.settle !== undefined) return awaitQuiet(options, options.settle)
  await awaitFirst(answer, entry, options)
  return []
}

async function awaitFirst({ outcome, revision }: SettledCall, entry: ToolEntry, options: AwaitOptions): Promise<void> {
  const { view, catchUp, patience, states } = options
  if (catchUp === undefined) return
  // An equal revision needs no comparison.
  const look = (): true | undefined => (view.revision() !== revision && hasChanged(view, revision, states)) || undefined
  if (look()) return patience.learn(entry, "at once")
  if (!outcome.ok || catchUp.waitMs <= 0 || !patience.for(entry)) return
  const came = await waitUntil(options, catchUp.waitMs, look)
  if (!options.signal.aborted) patience.learn(entry, came ? "late" : "never")
}

/** Waits until no visible change occurs for a while. */
async function awaitQuiet(options: AwaitOptions, settle: SettleOptions): Promise<readonly string[]> {
  const { view, host, states, signal } = options
  const { quietMs: quiet = 50, limitMs: limit = 2_000 } = settle
  const end = host.clock.now() + limit
  while (!signal.aborted) {
    const left = end - host.clock.now()
    if (left <= 0) return [`the application had not settled ${limit} ms after the call: more may change`]
    const revision = view.revision()
    const look = (): true | undefined => hasChanged(view, revision, states) || undefined
    if (!(await waitUntil(options, Math.min(quiet, left), look)) && left >= quiet) return []
  }
  return []
}

/**
 * Adds changes to a result. Structured results get them as property `changes`, and so in their text, which is the same JSON.
 * Others get a further text block at the end.
 */
function addCatchUp(result: ToolResult, catchUp: CatchUp | undefined, entry: ToolEntry | undefined): ToolResult {
  if (catchUp === undefined) return result
  const { content, isError, structuredContent: structured } = result
  // A failure's text must begin with what happened, and its structured content stays as its author wrote it.
  if (
    isError ||
    structured === undefined ||
    !hasRoom(entry?.definition.outputSchema) ||
    Object.hasOwn(structured, "changes")
  ) {
    return { ...result, content: [...content, onOwnLine(toText(catchUp.text))] }
  }
  const structuredContent = { ...structured, changes: catchUp.json }
  // The first block of a structured result must stay its JSON text, because older clients parse it.
  return { ...result, content: [toText(JSON.stringify(structuredContent)), ...content.slice(1)], structuredContent }
}
