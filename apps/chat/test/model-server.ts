import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import { onTestFinished } from "vitest"

/** A request to the model. */
export interface Asked {
  /** The request's body. */
  readonly body: unknown
  /** Its `Authorization`. */
  readonly authorization: string | undefined
  /** Aborts when the requester disconnects. */
  readonly gone: AbortSignal
}

/** Produces a model's answer in pieces, or a scripted response. */
export type Model = (asked: Asked) => AsyncIterable<string> | Script

/** A response, byte for byte. */
export interface Script {
  /** Its status. Default 200. */
  readonly status?: number
  /** Its headers. Default: those of server-sent events. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body: texts unchanged, objects as events. */
  readonly body: readonly (string | object)[]
  /** Whether the connection breaks after the body. Default `false`. */
  readonly breaks?: boolean
}

/** Starts a server with the part of OpenAI's API that streaming needs. Returns its URL. */
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
  const missing: Script = { status: 404, body: ["{}"] }
  const pieces = known ? model({ body: await json(request), authorization, gone: gone.signal }) : missing
  if ("body" in pieces) return play(pieces, response)
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

function play({ status = 200, headers = {}, body, breaks = false }: Script, response: ServerResponse): void {
  response.writeHead(status, { "content-type": "text/event-stream", ...headers })
  const parts = body.map((part) => (typeof part === "string" ? part : `data: ${JSON.stringify(part)}\n\n`))
  response.write(parts.join(""), () => (breaks ? response.destroy() : response.end()))
}
