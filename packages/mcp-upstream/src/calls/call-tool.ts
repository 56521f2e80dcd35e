import { LOG_LEVEL_META_KEY, type Progress as SdkProgress, type Tool } from "@modelcontextprotocol/client"
import type { Answers, ExecuteContext, Failure, LogLevel, Progress, Reply } from "@x/agentic-service"
import { isRecord } from "@x/tool-schemas/json"
import pLimit from "p-limit"
import type { Counted } from "../life/holdings.js"
import type { Keeper } from "../life/keep-connected.js"
import { isLoss, isUnknownSession, reasonOf, type Session } from "../life/session.js"
import { anyResult } from "../mirror/list-all.js"
import { redactAll } from "../trust/redact.js"
import type { Listed, UpstreamEvent, UpstreamLimits } from "../upstream.js"
import { type AskedCalls, createAskedCalls, type Put } from "./asked-calls.js"
import { type Answer, toAnswer, toFailure, toOutcome, toQuestion } from "./to-reply.js"

/** Calls the tools of a server. */
export interface Calls {
  /** Calls one. Never rejects. */
  call(tool: Listed, input: unknown, context: ExecuteContext): Promise<Reply>
  /** Tells the caller of the call that runs what the server logs; where several run for different callers, nobody. */
  log(level: LogLevel, data: unknown, logger: string | undefined): void
  /** Answers a question that a server of the legacy era puts outside any answer. */
  elicit(params: unknown): Promise<Answer>
}

/** What calling takes. */
export interface CallOptions {
  /** The connection. */
  readonly keeper: Pick<Keeper, "session">
  /** What the server is held to. */
  readonly limits: UpstreamLimits
  /** Counts what is open. */
  readonly holdings: Counted
  /** Told what happens. */
  emit(event: UpstreamEvent): void
  /** Takes secrets out. */
  redact(text: string): string
}

type Parameters = Record<string, unknown>

/** No calls yet. */
export function createCalls(options: CallOptions): Calls {
  const { limits, emit } = options
  const limit = pLimit(limits.concurrency)
  const drop = (why: string): void =>
    emit({ type: "diagnostic", code: "question_dropped", message: `a question of the server was cancelled: ${why}` })
  const questions = createAskedCalls(options.holdings, drop)
  const callers = new Set<ExecuteContext>()

  const within = async (tool: Listed, context: ExecuteContext, run: () => Promise<Reply>): Promise<Reply> => {
    const over = options.holdings.open("calls")
    callers.add(context)
    try {
      return bound(await limit(run), tool, options)
    } catch (cause) {
      return toFailure(cause, tool, { context, redact: options.redact })
    } finally {
      callers.delete(context)
      over()
    }
  }
  /** A session that the server has forgotten ran nothing, so the call is put again, once. */
  const withSession = async (context: ExecuteContext, use: (session: Session) => Promise<Reply>): Promise<Reply> => {
    const session = await options.keeper.session(limits.graceMs, context.signal)
    try {
      return await use(session)
    } catch (cause) {
      if (isLoss(cause)) session.fail(reasonOf(cause))
      if (!isUnknownSession(cause)) throw cause
      return use(await options.keeper.session(limits.connectMs, context.signal))
    }
  }
  const call = (tool: Listed, input: unknown, context: ExecuteContext): Promise<Reply> => {
    const named = { name: String(tool["name"]), arguments: { ...Object(input ?? {}) } }
    return within(tool, context, () =>
      withSession(context, (session) => {
        const _meta = toMeta(session, context)
        const params = { ...named, ...(_meta && { _meta }) }
        return session.era === "modern"
          ? callModern({ tool, session, params, limits, again: (run, later) => within(tool, later, run) }, context)
          : callLegacy({ tool, session, params, limits, questions, options }, context)
      }),
    )
  }
  return {
    call,
    log(level, data, logger) {
      const [first, ...others] = callers
      const { principal } = first ?? {}
      // A server does not say which call it speaks of.
      if (others.every((other) => principal !== undefined && other.principal?.id === principal.id))
        first?.log?.(level, redactAll(options.redact, data), logger)
    },
    async elicit(params) {
      const question = toQuestion(params)
      if (question !== undefined) return questions.put(question)
      drop("it is no form")
      return { action: "cancel" }
    },
  }
}

/** What is said of a call: what its caller says; and, to a server of the modern era, which log messages are wanted. */
function toMeta({ era, client }: Session, { meta, log }: ExecuteContext): Parameters | undefined {
  if (era === "legacy" || client.getServerCapabilities()?.logging === undefined) return meta
  return { ...meta, [LOG_LEVEL_META_KEY]: log === undefined ? "info" : "debug" }
}

interface ModernCall {
  readonly tool: Listed
  readonly session: Session
  readonly params: Parameters & { readonly name: string }
  readonly limits: UpstreamLimits
  again(run: () => Promise<Reply>, context: ExecuteContext): Promise<Reply>
}

/** A question comes as the answer, and the call is put again with what was answered (2026-07-28, basic/patterns/mrtr). */
async function callModern(call: ModernCall, context: ExecuteContext): Promise<Reply> {
  const result = await request(call, call.params, {
    signal: context.signal,
    progress: context.unheard ? undefined : context.progress,
  })
  if (result["resultType"] !== "input_required") return toOutcome(result)
  const { inputRequests, requestState } = result
  const asked = Object.entries(isRecord(inputRequests) ? inputRequests : {})
  const questions = asked.map(([key, input]) => [key, toRequested(input)] as const)
  const foreign = questions.find(([, question]) => question === undefined)
  if (foreign !== undefined) return unanswerable(String(Object(Object(inputRequests)[foreign[0]])["method"]))
  const resume = (answers: Answers | "declined" | "cancelled", later: ExecuteContext): Promise<Reply> => {
    const inputResponses = Object.fromEntries(asked.map(([key]) => [key, toAnswer(answers, key)]))
    const params = { ...call.params, inputResponses, ...(requestState !== undefined && { requestState }) }
    return call.again(() => callModern({ ...call, params }, later), later)
  }
  return {
    ok: "ask",
    questions: Object.fromEntries(questions.flatMap(([key, each]) => (each ? [[key, each]] : []))),
    resume,
  }
}

function toRequested(input: unknown): ReturnType<typeof toQuestion> {
  return isRecord(input) && input["method"] === "elicitation/create" ? toQuestion(input["params"]) : undefined
}

function unanswerable(method: string): Failure {
  return {
    ok: false,
    code: "unanswerable",
    message: `its server asks for "${method}", which cannot be passed on`,
    recovery: "do it another way",
  }
}

interface LegacyCall extends Omit<ModernCall, "again"> {
  readonly questions: AskedCalls
  readonly options: CallOptions
}

/** A question comes while the call waits, and the call goes on once it is answered (2025-11-25, client/elicitation). */
async function callLegacy(call: LegacyCall, context: ExecuteContext): Promise<Reply> {
  const asked = await call.questions.begin(call.params.name, context.signal)
  const abort = new AbortController()
  let current = context
  const progress = context.unheard ? undefined : (told: Progress): void => current.progress(told)
  const answer = request(call, call.params, { signal: abort.signal, progress }).then(toOutcome).finally(asked.end)
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
  { tool, session, limits }: Pick<ModernCall, "tool" | "session" | "limits">,
  params: Parameters & { readonly name: string },
  { signal, progress }: Heard,
): Promise<Record<string, unknown>> {
  const options = {
    signal,
    timeout: limits.callMs,
    allowInputRequired: true,
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
