import type { CallContext } from "../../calls/call-context.js"
import type { Handler, Params, Result } from "../../handlers/handlers.js"

/** How often one call may ask, as in SDK v2. */
const ROUNDS = 8

/**
 * Puts what a call has to ask to the client, and calls again with the answers: in the legacy era it is the server that asks
 * (2025-11-25, client/elicitation), and SDK v1 does not do that by itself for a result that says so. What cannot be asked is
 * a result with `isError`.
 */
export function putQuestions(handler: Handler): Handler {
  return async (params, context) => {
    let result = await handler(params, context)
    for (let round = 0; result["resultType"] === "input_required"; round += 1) {
      if (round === ROUNDS) return toFailure(`there was no answer that can be used in ${ROUNDS} rounds`)
      const answered = await ask(result, context).catch(toUnasked)
      if (typeof answered === "string") return toFailure(answered)
      result = await handler(params, { ...context, ...answered })
    }
    return result
  }
}

type Answered = Required<Pick<CallContext, "inputResponses">> & Pick<CallContext, "requestState">

/** One after the other: there is one person to ask. */
async function ask({ inputRequests, requestState }: Result, { peer }: CallContext): Promise<Answered> {
  const inputResponses: Record<string, unknown> = {}
  for (const [key, request] of Object.entries(inputRequests ?? {})) {
    inputResponses[key] = await put(request, peer)
  }
  return { inputResponses, ...(typeof requestState === "string" && { requestState }) }
}

type Question = { readonly method: string; readonly params?: Params }

function put({ method, params }: Question, peer: CallContext["peer"]): Promise<unknown> {
  if (peer?.request === undefined) return Promise.reject(new Error("nothing reaches it between two answers"))
  return peer.request(method, params)
}

function toUnasked(cause: unknown): string {
  return `the client could not be asked: ${cause instanceof Error ? cause.message : String(cause)}`
}

function toFailure(reason: string): Result {
  return { content: [{ type: "text", text: `the action did not run, because ${reason}` }], isError: true }
}
