import { type ChatCall, callAgent } from "./answer-whole.js"
import { createEventStream } from "./event-stream.js"
import { formatError, formatResult, toError } from "./json-rpc.js"
import { type Reply, toReply } from "./to-reply.js"

/**
 * Answers with chunks, as server-sent events, closed by `[DONE]`. What fails before the first chunk is an error like any other;
 * what fails later is an event of its own before the end.
 */
export async function streamAnswer(chat: ChatCall): Promise<Response> {
  const events = createEventStream(chat.stop)
  const begin = createBeginning()
  let sent = ""
  const send = (chunk: string): void => {
    sent += chunk
    events.send(formatResult(chat.id, { chunk }))
    begin.now()
  }
  const finish = (reply: Reply): Reply => {
    if (!reply.ok) events.send(formatError(chat.id, reply.error))
    // An agent may have told less of its text than it has, or nothing.
    else if (reply.text !== sent && reply.text.startsWith(sent)) send(reply.text.slice(sent.length))
    if (reply.ok && reply.sources.length > 0) events.send(formatResult(chat.id, { sources: reply.sources }))
    events.end("[DONE]")
    return reply
  }
  const settled = callAgent(chat, ({ text }) => text !== undefined && send(text))
    .finally(chat.ended)
    .then((answer) => finish(toReply(answer)))
  const first = await Promise.race([begin.begun, settled])
  if (first !== undefined && !first.ok && !begin.over()) return toError(chat.id, first.error)
  return chat.visitor.bound(new Response(events.body, { headers: HEADERS }), chat.stop)
}

/** Whether the first chunk has been sent. */
function createBeginning(): { readonly begun: Promise<undefined>; now(): void; over(): boolean } {
  let resolveBegun: (nothing: undefined) => void = () => {}
  let over = false
  const begun = new Promise<undefined>((resolve) => {
    resolveBegun = resolve
  })
  return {
    begun,
    now() {
      over = true
      resolveBegun(undefined)
    },
    over: () => over,
  }
}

const HEADERS = { "content-type": "text/event-stream", "cache-control": "no-cache" }
