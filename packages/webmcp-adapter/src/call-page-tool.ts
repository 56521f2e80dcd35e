import type { Answers, Questions } from "@x/agentic-service"
import { isRecord, showShort } from "@x/base"
import { ProtocolError } from "@x/mcp-adapter"
import type { Connection } from "@x/mcp-adapter/binding"
import { type ToolAnswer, toFailedAnswer, toToolAnswer } from "./tool-answer.js"
import { WebMcpError } from "./webmcp-error.js"

/**
 * Asks the person in front of the page an action's questions, or to confirm the action (the schema of the only question then
 * has no properties).
 *
 * @returns The answers by question key, `{}` for a plain yes, or `"declined"` or `"cancelled"`.
 */
export type Ask = (questions: Questions, options: AskOptions) => AskReply | Promise<AskReply>

/** The context of questions. */
export interface AskOptions {
  /** The called tool. */
  readonly tool: string
  /** Aborts when the agent cancels the call. */
  readonly signal: AbortSignal
}

/** A person's reply to questions. */
export type AskReply = Answers | "declined" | "cancelled"

/** The dependencies of calls. */
export interface CallSite {
  /** The connection to the service, with MCP's handlers. */
  readonly connection: Connection
  /** Asks the person. */
  readonly ask: Ask | undefined
  /** Aborts when the offer ends. */
  readonly closed: AbortSignal
}

/** A call from the browser. */
export interface PageCall {
  /** The tool's name in the service's list. */
  readonly tool: string
  /** Converts the input to arguments. Default: unchanged. */
  readonly toArguments?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** The input, unchecked: Chromium passes an object, older versions of the API its JSON. */
  readonly input: unknown
  /** The browser's second argument. */
  readonly context: unknown
}

/** Calls a tool on the same path as MCP clients. Never rejects. */
export async function callPageTool(
  site: CallSite,
  call: PageCall,
  toAnswer: (result: Readonly<Record<string, unknown>>) => ToolAnswer = toToolAnswer,
): Promise<ToolAnswer> {
  const input = toInput(call.input)
  if (input === undefined)
    return toFailedAnswer(`found an input of "${call.tool}" that is not an object: pass its arguments by name`)
  const signal = AbortSignal.any([site.closed, ...toSignals(call.context)])
  try {
    const args = call.toArguments === undefined ? input : call.toArguments(input)
    return toAnswer(await run(site, { name: call.tool, arguments: args }, signal))
  } catch (thrown) {
    return toFailedAnswer(toWords(call.tool, thrown))
  }
}

/** Calls until there is a result, with the person's answers from the second call on. */
async function run(
  { connection, ask }: CallSite,
  params: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const handler = connection.handlers["tools/call"]
  if (handler === undefined) throw new Error("the service has no handler for tools/call")
  const context = {
    client: "browser",
    leg: { transport: "webmcp", era: "modern" as const, notices: true },
    signal,
    clientCapabilities: ask === undefined ? {} : { elicitation: { form: {} } },
  }
  let result = await handler(params, context)
  while (result["resultType"] === "input_required" && ask !== undefined) {
    const questions = toQuestions(result["inputRequests"])
    const reply = await askPage(() => ask(questions, { tool: params.name, signal }), signal)
    const inputResponses = toResponses(questions, reply)
    result = await handler(params, { ...context, requestState: String(result["requestState"]), inputResponses })
  }
  return result
}

/**
 * @throws WebMcpError if `ask` throws or returns an invalid reply: a dialog's true or false, or a missing answer, is not
 * consent.
 */
async function askPage(ask: () => AskReply | Promise<AskReply>, signal: AbortSignal): Promise<AskReply> {
  const reply: unknown = await Promise.resolve()
    .then(ask)
    .catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new WebMcpError('option "ask" threw', { code: "unexpected", cause })
    })
  signal.throwIfAborted()
  if (isRecord(reply) || reply === "declined" || reply === "cancelled") return reply
  const expected = 'the answers by question key, {} for a plain yes, "declined" or "cancelled"'
  throw new WebMcpError(`option "ask" returned ${showShort(reply)}: expected ${expected}`, { code: "invalid_option" })
}

function toInput(input: unknown): Readonly<Record<string, unknown>> | undefined {
  if (input === undefined) return {}
  if (typeof input === "string") return toInput(readJson(input))
  return isRecord(input) ? input : undefined
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns the browser's signal, which not every version of the API passes. */
function toSignals(context: unknown): readonly AbortSignal[] {
  const { signal }: { signal?: unknown } = Object(context)
  return signal instanceof AbortSignal ? [signal] : []
}

/** Parses MCP's questions (2026-07-28, basic/patterns/mrtr). */
function toQuestions(requests: unknown): Questions {
  const asked = Object.entries(Object(requests)).map(([key, request]) => {
    const { params }: { params?: unknown } = Object(request)
    const { message, requestedSchema }: { message?: unknown; requestedSchema?: unknown } = Object(params)
    return [key, { message: String(message), schema: isRecord(requestedSchema) ? requestedSchema : {} }] as const
  })
  return Object.fromEntries(asked)
}

function toResponses(questions: Questions, reply: AskReply): Readonly<Record<string, unknown>> {
  const toResponse = (key: string): unknown => {
    if (typeof reply === "string") return { action: reply === "declined" ? "decline" : "cancel" }
    return { action: "accept", content: reply[key] ?? (key === CONFIRM ? { confirm: true } : {}) }
  }
  return Object.fromEntries(Object.keys(questions).map((key) => [key, toResponse(key)]))
}

/** The key under which the adapter asks whether to run an action. A plain yes fills it in. */
const CONFIRM = "_confirm"

/** MCP's error code for a question to a client that cannot ask (2026-07-28, basic/index). */
const MISSING_CAPABILITY = -32021

function toWords(tool: string, thrown: unknown): string {
  if (thrown instanceof ProtocolError) {
    return thrown.code === MISSING_CAPABILITY
      ? `"${tool}" asks a person before it runs, but this page cannot ask (confirmation_unavailable)\n` +
          "ask the person to do it in the application"
      : thrown.message
  }
  if (thrown instanceof WebMcpError) {
    // biome-ignore lint/suspicious/noConsole: otherwise the page's author does not notice that the call never ran
    globalThis.console?.error(`@x/webmcp-adapter: ${thrown.message}`, thrown.cause ?? "")
    return `"${tool}" did not run: the page could not ask the person (confirmation_unavailable)`
  }
  return `the call of "${tool}" was cancelled (aborted)`
}
