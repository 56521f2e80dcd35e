import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import { onTestFinished } from "vitest"

/** What a model was asked. */
export interface Asked {
  /** The body of the request. */
  readonly body: unknown
  /** Its `Authorization`. */
  readonly authorization: string | undefined
  /** Aborts when whoever asked is gone. */
  readonly gone: AbortSignal
}

/** Says what a model answers, piece by piece; a number is a status in place of an answer. */
export type Model = (asked: Asked) => AsyncIterable<string> | number

/** A server that speaks as much of OpenAI's API as a streamed chat needs. */
export async function serveModel(model: Model): Promise<string> {
  const server = createServer((request, response) => void answer(model, request, response))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`
}

async function answer(model: Model, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  const { authorization } = request.headers
  const known = request.method === "POST" && request.url === "/v1/chat/completions"
  const pieces = known ? model({ body: await json(request), authorization, gone: gone.signal }) : 404
  if (typeof pieces === "number") {
    response.writeHead(pieces, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: { message: `no, ${authorization}`, type: "invalid_request_error" } }))
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (delta: object, finish_reason: string | null): void => {
    const choices = [{ index: 0, delta, finish_reason }]
    const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "small", choices }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  send({ role: "assistant", content: "" }, null)
  for await (const content of pieces) send({ content }, null)
  send({}, "stop")
  response.end("data: [DONE]\n\n")
}
