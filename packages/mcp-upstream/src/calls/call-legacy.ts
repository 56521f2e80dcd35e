import { ProtocolError } from "@modelcontextprotocol/client"
import type { ExecuteContext, Progress, Reply } from "@x/agentic-service"
import { abortableOf, createStopSource } from "@x/agentic-service/adapter"
import type { Given, Put } from "./asked-calls.js"
import { split } from "./call-modern.js"
import { type Asked, toResponse } from "./client-request.js"
import { type Parameters, type RunningCall, sendCall } from "./send-call.js"
import { toAnswer, toFailure, toOutcome } from "./to-reply.js"

/**
 * Runs a call of a legacy server. Questions arrive while the call waits, which continues once they are answered (2025-11-25,
 * client/elicitation).
 */
export async function callLegacy(call: RunningCall, context: ExecuteContext): Promise<Reply> {
  let current = context
  const mark = call.session.origins.mark()
  const asked = await call.asked.begin({ tool: call.params.name, mark, context: () => current }, abortableOf(context))
  const abort = createStopSource()
  const progress = context.unheard ? undefined : (told: Progress): void => current.progress(told)
  const answer = sendCall(call, { mark, signal: abort, progress }).then(toOutcome).finally(asked.end)
  // Awaited below. If the call fails while a person is being asked, the failure follows their answer.
  answer.catch(() => undefined)
  const listen = (now: ExecuteContext): (() => void) => {
    const signal = abortableOf(now)
    const stop = (): void => abort.abort(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop)
    return () => signal.removeEventListener("abort", stop)
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
  const toAsk = ({ asked: what, answer: reply }: Put): Reply => ({
    ok: "ask",
    ...split([{ key: ANSWER, asked: what }]),
    resume: (answers, later) => {
      reply(answers)
      return goOn(later).catch((cause: unknown) =>
        toFailure(cause, call.tool, { context: later, redact: call.options.redact }),
      )
    },
  })
  return goOn(context)
}

/** The key of a question or request, since a legacy server asks one at a time. */
const ANSWER = "answer"

/** Returns the result for the server, or throws the client's error or refusal. */
export function toAnswered(asked: Asked, given: Given | undefined): Parameters {
  if ("question" in asked) return { ...toAnswer(given ?? "declined", ANSWER) }
  if (given === undefined) throw new ProtocolError(METHOD_NOT_FOUND, "it belongs to no known call")
  const response = toResponse(typeof given === "string" ? undefined : given[ANSWER])
  if ("result" in response) return { ...response.result }
  throw new ProtocolError(response.error.code, response.error.message)
}

const METHOD_NOT_FOUND = -32_601
