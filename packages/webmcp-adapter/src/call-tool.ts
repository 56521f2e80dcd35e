import type { Answers, Questions } from "@x/agentic-service"
import { ProtocolError } from "@x/mcp-adapter"
import type { Connection } from "@x/mcp-adapter/binding"
import { isRecord, showShort } from "@x/tool-schemas/json"
import { type ToolAnswer, toFailedAnswer, toToolAnswer } from "./tool-answer.js"
import { WebMcpError } from "./webmcp-error.js"

/**
 * Asks the person in front of the page what an action has to know before it runs, or whether it may run (then the schema of
 * the only question has no properties).
 *
 * @returns The answers by question key, `{}` for a plain yes; or what the person did instead.
 */
export type Ask = (questions: Questions, options: AskOptions) => AskReply | Promise<AskReply>

/** What a question is about. */
export interface AskOptions {
  /** The tool that was called. */
  readonly tool: string
  /** Aborts when the agent has given the call up. */
  readonly signal: AbortSignal
}

/** What a person has said to questions. */
export type AskReply = Answers | "declined" | "cancelled"

/** What calls stand on. */
export interface CallSite {
  /** The service, as MCP would show it. */
  readonly connection: Connection
  /** Who asks the person. */
  readonly ask: Ask | undefined
  /** Ends with the offer. */
  readonly closed: AbortSignal
}

/** One call, as the browser makes it. */
export interface PageCall {
  /** The name in the service's list. */
  readonly tool: string
  /** Makes the arguments of what came, where they are others. Default: they are the same. */
  readonly toArguments?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  /** The input, as it came: Chromium gives an object, older shapes of the API its JSON. */
  readonly input: unknown
  /** What the browser gives beside the input. */
  readonly context: unknown
}

/** Calls a tool by the path that every client's call takes. Never rejects. */
export async function callTool(
  site: CallSite,
  call: PageCall,
  toAnswer: (result: Readonly<Record<string, unknown>>) => ToolAnswer = toToolAnswer,
): Promise<ToolAnswer> {
  const input = toInput(call.input)
  if (input === undefined)
    return toFailedAnswer(`the input of "${call.tool}" is no object: expected its arguments by name`)
  const signal = AbortSignal.any([site.closed, ...toSignals(call.context)])
  try {
    const args = call.toArguments === undefined ? input : call.toArguments(input)
    return toAnswer(await run(site, { name: call.tool, arguments: args }, signal))
  } catch (thrown) {
    return toFailedAnswer(toWords(call.tool, thrown))
  }
}

/** Calls, and calls again with what the person answered, until there is a result. */
async function run(
  { connection, ask }: CallSite,
  params: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const handler = connection.handlers["tools/call"]
  if (handler === undefined) throw new Error("tools cannot be called here")
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

/** @throws WebMcpError for a throw, and for what is no reply: a dialog's true or false, or a forgotten answer, is no consent. */
async function askPage(ask: () => AskReply | Promise<AskReply>, signal: AbortSignal): Promise<AskReply> {
  const reply: unknown = await Promise.resolve()
    .then(ask)
    .catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new WebMcpError("unexpected", 'option "ask" threw', { cause })
    })
  signal.throwIfAborted()
  if (isRecord(reply) || reply === "declined" || reply === "cancelled") return reply
  const expected = 'the answers by question key, {} for a plain yes, "declined" or "cancelled"'
  throw new WebMcpError("invalid_option", `option "ask" gave ${showShort(reply)}: expected ${expected}`)
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

/** The browser's signal, in those of its shapes that have one. */
function toSignals(context: unknown): readonly AbortSignal[] {
  const { signal }: { signal?: unknown } = Object(context)
  return signal instanceof AbortSignal ? [signal] : []
}

/** The questions, as MCP asks them (2026-07-28, basic/patterns/mrtr). */
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

/** Under which the adapter asks whether an action is to run at all; a plain yes fills it in. */
const CONFIRM = "_confirm"

/** MCP's code for a question to a client that cannot ask (2026-07-28, basic/index). */
const MISSING_CAPABILITY = -32021

function toWords(tool: string, thrown: unknown): string {
  if (thrown instanceof ProtocolError) {
    return thrown.code === MISSING_CAPABILITY
      ? `"${tool}" asks a person before it runs, and this page has no way to ask (confirmation_unavailable)\n` +
          "ask the person to do it in the application"
      : thrown.message
  }
  if (thrown instanceof WebMcpError) {
    // biome-ignore lint/suspicious/noConsole: nobody else tells the page's author that the call never ran
    globalThis.console?.error(`@x/webmcp-adapter: ${thrown.message}`, thrown.cause ?? "")
    return `"${tool}" did not run: the page could not ask the person (confirmation_unavailable)`
  }
  return `the call of "${tool}" was given up (aborted)`
}
