import { onTestFinished } from "vitest"
import { type HttpOptions, serveHttp } from "../../src/border/http.js"
import { createMcpAdapter } from "../../src/create-adapter.js"
import type { McpAdapterOptions } from "../../src/options.js"
import { createBoard } from "./board.mjs"

/** A JSON-RPC message, as loose as clients may be. */
export interface Message {
  /** The request's id, or the answered request's. */
  readonly id?: string | number | null
  /** The method. Absent for answers. */
  readonly method?: string
  /** The parameters. Absent for answers. */
  readonly params?: Readonly<Record<string, unknown>>
  /** The result. */
  readonly result?: Readonly<Record<string, unknown>>
  /** The error. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Options of a POST. */
export interface PostOptions {
  /** Headers besides those that every client sends; `undefined` omits one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Drops the connection. */
  readonly signal?: AbortSignal
}

/** The metadata of a modern request. */
export const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** Serves a board over HTTP for one test, without a client. */
export async function serveWire(options: HttpOptions = {}, adapterOptions: McpAdapterOptions = {}) {
  const board = createBoard()
  const adapter = createMcpAdapter(board.service, adapterOptions)
  const server = await serveHttp(adapter, { port: 0, ...options })
  onTestFinished(() => server.close().finally(adapter.close))
  return { ...board, adapter, server: server.server, url: server.url, close: server.close, ...createWire(server.url) }
}

/** Creates the requests of each era's clients to a URL. */
export function createWire(url: string) {
  const post = (message: Message | readonly Message[], { headers = {}, signal }: PostOptions = {}) => {
    const all = { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers }
    return fetch(url, {
      method: "POST",
      headers: Object.entries(all).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, value]],
      ),
      body: JSON.stringify(Array.isArray(message) ? message : { jsonrpc: "2.0", ...message }),
      ...(signal && { signal }),
    })
  }
  /** Sends a request of 2026-07-28 whose headers repeat its body. */
  const modern = ({ id = 1, method = "", params = {} }: Message, options: PostOptions = {}) => {
    const repeated = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": String(params["name"] ?? params["uri"] ?? "") || undefined,
    }
    const headers = { ...repeated, ...options.headers }
    const _meta = { ...envelope, ...(params["_meta"] as object | undefined) } // The value may be anything.
    return post({ id, method, params: { ...params, _meta } }, { ...options, headers })
  }
  /** Opens a session of 2025-11-25. Returns a function that sends within it. */
  const open = async (version = "2025-11-25", capabilities = {}, more: Readonly<Record<string, string>> = {}) => {
    const params = introduce(version, capabilities)
    const opened = await post({ id: 0, method: "initialize", params }, { headers: more })
    const session = opened.headers.get("mcp-session-id") ?? ""
    const initialized = await readMessages(opened).next()
    const headers = { "mcp-session-id": session, "mcp-protocol-version": version, ...more }
    const send = (message: Message | readonly Message[], options: PostOptions = {}) =>
      post(message, { ...options, headers: { ...headers, ...options.headers } })
    await send({ method: "notifications/initialized" })
    return { session, headers, send, initialized: initialized.value ?? {} }
  }
  return { post, modern, open }
}

/** Returns the parameters of `initialize`. */
export function introduce(protocolVersion: string, capabilities: object = {}) {
  return { protocolVersion, capabilities, clientInfo: { name: "test", version: "0" } }
}

/** Yields the messages of an answer as they arrive: from its event stream, or its one JSON body. */
export async function* readMessages(response: Response): AsyncGenerator<Message, undefined> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    yield toMessage(await response.json())
    return
  }
  let rest = ""
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = `${rest}${chunk}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("data: {")) yield toMessage(JSON.parse(line.slice("data: ".length)))
  }
}

/** Converts a received value to a message: tests state their expectations of it. */
export function toMessage(value: unknown): Message {
  return value as Message // Any other shape makes a test fail.
}

/** Returns the answer to a request. */
export async function readAnswer(response: Promise<Response>): Promise<Message & { readonly status: number }> {
  const { status } = await response
  let last: Message = {}
  for await (const message of readMessages(await response)) last = message
  return { ...last, status }
}
