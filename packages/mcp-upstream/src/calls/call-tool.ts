import { type Client, LOG_LEVEL_META_KEY, type Progress as SdkProgress, type Tool } from "@modelcontextprotocol/client"
import type { ExecuteContext, Failure, LogLevel, Progress, Reply } from "@x/agentic-service"
import { changed } from "@x/agentic-service/adapter"
import { isRecord } from "@x/tool-schemas/json"
import pLimit from "p-limit"
import type { Counted } from "../life/holdings.js"
import type { Keeper } from "../life/keep-connected.js"
import type { Occupant } from "../life/occupant.js"
import { originsOf } from "../life/origins.js"
import { isLoss, isUnknownSession, reasonOf, type Session } from "../life/session.js"
import { anyResult } from "../mirror/list-all.js"
import type { Run, Target } from "../mirror/to-action.js"
import { redactAll } from "../trust/redact.js"
import type { Listed, UpstreamEvent, UpstreamLimits } from "../upstream.js"
import { type AskedCalls, createAskedCalls, type Put } from "./asked-calls.js"
import { callOnOwn, type OpenOwn } from "./own-connection.js"
import { type Answer, toAnswer, toFailure, toOutcome, toQuestion } from "./to-reply.js"

/** Calls the tools of a server. */
export interface Calls {
  /** Calls one. Never rejects. Answers `changed` if another server has taken the place of the one that the call is for. */
  call: Run
  /** Tells the caller of the call that a log message belongs to what the server logs; nobody if that cannot be told. */
  log(client: Client, level: LogLevel, message: { readonly data: unknown; readonly logger?: string | undefined }): void
  /** Answers a question that a server of the legacy era puts outside any answer. */
  elicit(client: Client, params: unknown, id: number | string): Promise<Answer>
}

/** What calling takes. */
export interface CallOptions {
  /** The connection. */
  readonly keeper: Pick<Keeper, "session">
  /** What the server is held to. */
  readonly limits: UpstreamLimits
  /** Counts what is open. */
  readonly holdings: Counted
  /** What a connection stands for. */
  readonly occupant: Pick<Occupant, "of">
  /** Opens a connection for one call; absent where calls share one. */
  readonly openOwn?: OpenOwn | undefined
  /** The server's name in labels of its questions. */
  readonly label: string
  /** Told what happens. */
  emit(event: UpstreamEvent): void
  /** Takes secrets out. */
  redact(text: string): string
}

type Parameters = Record<string, unknown>

/** Creates what calls tools; no call runs. */
export function createCalls(options: CallOptions): Calls {
  const { limits, emit } = options
  const limit = pLimit(limits.concurrency)
  const drop = (why: string): void =>
    emit({ type: "diagnostic", code: "question_dropped", message: `a question of the server was declined: ${why}` })
  const connections = new WeakMap<Client, AskedCalls>()
  const askedOn = (client: Client): AskedCalls => {
    const asked = connections.get(client) ?? createAskedCalls(options.holdings, drop)
    connections.set(client, asked)
    return asked
  }

  const within = async (tool: Listed, context: ExecuteContext, run: () => Promise<Reply>): Promise<Reply> => {
    const over = options.holdings.open("calls")
    try {
      return bound(await limit(run), tool, options)
    } catch (cause) {
      return toFailure(cause, tool, { context, redact: options.redact })
    } finally {
      over()
    }
  }
  const call: Run = (target, input, context) => {
    const { item: tool } = target
    const named = { name: String(tool["name"]), arguments: { ...Object(input ?? {}) } }
    const put = (more: Parameters, now: ExecuteContext): Promise<Reply> =>
      within(tool, now, () =>
        withSession({ target, context: now, options }, (session) => {
          const _meta = toMeta(session, now)
          const params = { ...named, ...(_meta && { _meta }), ...more }
          const asked = askedOn(session.client)
          return session.era === "modern"
            ? callModern({ tool, session, params, asked, options, again: put }, now)
            : callLegacy({ tool, session, params, asked, options }, now)
        }),
      )
    return put({}, context)
  }
  return {
    call,
    log(client, level, { data, logger }) {
      const context = connections.get(client)?.contextOf(originsOf(client)?.ofNotification())
      context?.log?.(level, redactAll(options.redact, data), logger)
    },
    async elicit(client, params, id) {
      const origin = originsOf(client)?.ofRequest(id)
      const question = toQuestion(params, options.label)
      if (question !== undefined) return askedOn(client).put(question, origin)
      drop("it is no form")
      return { action: "decline" }
    },
  }
}

/** A call, and who waits for it. */
interface Waiting {
  readonly target: Target
  readonly context: ExecuteContext
  readonly options: CallOptions
}

/**
 * Calls on a connection to the server that the call is for, and on no other. A session that the server has forgotten ran nothing,
 * so the call is put again, once.
 */
async function withSession(waiting: Waiting, use: (session: Session) => Promise<Reply>): Promise<Reply> {
  const { target, context, options } = waiting
  const { keeper, limits, occupant, openOwn } = options
  const on = async (waitMs: number): Promise<{ readonly session: Session; readonly reply: () => Promise<Reply> }> => {
    const session = await keeper.session(waitMs, context.signal)
    const thing = await occupant.of(session, context.signal)
    const meant = thing === target.thing && (context.thing === undefined || context.thing === thing)
    const name = String(target.item["name"])
    if (!meant) return { session, reply: async () => changed(name) }
    const own = openOwn !== undefined && session.era === "legacy"
    return { session, reply: () => (own ? callOnOwn({ openOwn, context, target }, use) : use(session)) }
  }
  const { session, reply } = await on(limits.graceMs)
  try {
    return await reply()
  } catch (cause) {
    if (isLoss(cause)) session.fail(reasonOf(cause))
    if (!isUnknownSession(cause)) throw cause
    return (await on(limits.connectMs)).reply()
  }
}

/** What is said of a call: what its caller says; and, to a server of the modern era, which log messages are wanted. */
function toMeta({ era, client }: Session, { meta, log }: ExecuteContext): Parameters | undefined {
  if (era === "legacy" || client.getServerCapabilities()?.logging === undefined) return meta
  return { ...meta, [LOG_LEVEL_META_KEY]: log === undefined ? "info" : "debug" }
}

interface RunningCall {
  readonly tool: Listed
  readonly session: Session
  readonly params: Parameters & { readonly name: string }
  readonly asked: AskedCalls
  readonly options: CallOptions
}

interface ModernCall extends RunningCall {
  /** Puts the call again with further parameters. */
  again(more: Parameters, context: ExecuteContext): Promise<Reply>
}

/** A question comes as the answer, and the call is put again with what was answered (2026-07-28, basic/patterns/mrtr). */
async function callModern(call: ModernCall, context: ExecuteContext): Promise<Reply> {
  const { options } = call
  const mark = call.session.origins.mark()
  const running = await call.asked.begin({ tool: call.params.name, mark, context: () => context }, context.signal)
  const progress = context.unheard ? undefined : context.progress
  const result = await request(call, { mark, signal: context.signal, progress }).finally(running.end)
  if (result["resultType"] !== "input_required") return toOutcome(result)
  const { inputRequests, requestState } = result
  const asked = Object.entries(isRecord(inputRequests) ? inputRequests : {})
  const questions = asked.map(([key, input]) => [key, toRequested(input, options.label)] as const)
  const foreign = questions.find(([, question]) => question === undefined)
  if (foreign !== undefined) return unanswerable(String(Object(Object(inputRequests)[foreign[0]])["method"]))
  return {
    ok: "ask",
    questions: Object.fromEntries(questions.flatMap(([key, each]) => (each ? [[key, each]] : []))),
    resume: (answers, later) => {
      const inputResponses = Object.fromEntries(asked.map(([key]) => [key, toAnswer(answers, key)]))
      return call.again({ inputResponses, ...(requestState !== undefined && { requestState }) }, later)
    },
  }
}

function toRequested(input: unknown, label: string): ReturnType<typeof toQuestion> {
  return isRecord(input) && input["method"] === "elicitation/create" ? toQuestion(input["params"], label) : undefined
}

function unanswerable(method: string): Failure {
  return {
    ok: false,
    code: "unanswerable",
    message: `its server asks for "${method}", which cannot be passed on`,
    recovery: "do it another way",
  }
}

/** A question comes while the call waits, and the call goes on once it is answered (2025-11-25, client/elicitation). */
async function callLegacy(call: RunningCall, context: ExecuteContext): Promise<Reply> {
  let current = context
  const mark = call.session.origins.mark()
  const asked = await call.asked.begin({ tool: call.params.name, mark, context: () => current }, context.signal)
  const abort = new AbortController()
  const progress = context.unheard ? undefined : (told: Progress): void => current.progress(told)
  const answer = request(call, { mark, signal: abort.signal, progress }).then(toOutcome).finally(asked.end)
  // It is waited for below; where it fails while a person is asked, that is told when they have answered.
  answer.catch(() => undefined)
  const listen = (now: ExecuteContext): (() => void) => {
    const stop = (): void => abort.abort(now.signal.reason)
    if (now.signal.aborted) stop()
    now.signal.addEventListener("abort", stop, { once: true })
    return () => now.signal.removeEventListener("abort", stop)
  }
  const goOn = async (now: ExecuteContext): Promise<Reply> => {
    current = now
    const unlisten = listen(now)
    try {
      const first = await Promise.race([answer, asked.next()])
      return "ok" in first ? first : toAsk(first)
    } finally {
      unlisten()
    }
  }
  const toAsk = ({ question, answer: reply }: Put): Reply => ({
    ok: "ask",
    questions: { answer: question },
    resume: (answers, later) => {
      reply(toAnswer(answers, "answer"))
      return goOn(later).catch((cause: unknown) =>
        toFailure(cause, call.tool, { context: later, redact: call.options.redact }),
      )
    },
  })
  return goOn(context)
}

/** One request. Its result is looked at when it is made an outcome, and not by the SDK, which would refuse all of it for a part. */
function request(
  { tool, session, params, options: { limits } }: RunningCall,
  { mark, signal, progress }: Heard,
): Promise<Record<string, unknown>> {
  const options = {
    signal,
    timeout: limits.callMs,
    allowInputRequired: true,
    relatedRequestId: mark,
    ...(progress && { onprogress: (told: SdkProgress) => progress(toProgress(told)) }),
  }
  if (!hasHeaders(tool)) return session.client.request({ method: "tools/call", params }, anyResult, options)
  // The tool was looked at when it was listed: it has a name and a schema that is an object.
  const toolDefinition = { name: params.name, inputSchema: tool["inputSchema"] } as Tool
  // The SDK puts what goes into headers there, and needs to know the definition for that.
  return session.client.callTool(params, { ...options, toolDefinition })
}

/** What hears of a request. */
interface Heard {
  readonly mark: string
  readonly signal: AbortSignal
  /** Absent where nobody hears of progress. */
  readonly progress?: ExecuteContext["progress"] | undefined
}

function toProgress({ progress, total, message }: SdkProgress): Progress {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
}

const withHeaders = new WeakMap<Listed, boolean>()

/** Whether some of its parameters go into headers (2026-07-28, basic/transports, custom headers). */
function hasHeaders(tool: Listed): boolean {
  const known = withHeaders.get(tool) ?? JSON.stringify(tool["inputSchema"]).includes('"x-mcp-header"')
  withHeaders.set(tool, known)
  return known
}

function bound(reply: Reply, tool: Listed, { limits, emit }: CallOptions): Reply {
  if (reply.ok === "ask") return reply
  const size = JSON.stringify(reply).length
  if (size <= limits.resultChars) return reply
  const message = `the result of ${JSON.stringify(tool["name"])} has ${size} characters, more than the ${limits.resultChars} that are passed on`
  emit({ type: "diagnostic", code: "result_too_large", message })
  const ran = reply.ok === true ? "; the call itself succeeded: do not make it again for its effect" : ""
  return { ok: false, code: "too_large", message: `${message}${ran}`, recovery: "ask for less, or for a part of it" }
}
