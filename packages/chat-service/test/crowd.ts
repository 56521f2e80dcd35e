import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { apiKeys, createNodeHandler } from "@x/mcp-adapter/http"
import { createChatService } from "../src/create-chat-service.js"
import { createChatNodeHandler } from "../src/http/http.js"

/** A server for the crowd: one agent behind MCP and `/v1/chat`, on this machine. */
export interface Crowded {
  /** The agent's adapter. */
  readonly adapter: McpAdapter
  /** The server's URL. */
  readonly url: string
  /** The agent's work for each question. */
  readonly work: ReadonlyMap<string, Work>
  /** Returns the key of one client. */
  readonly keyOf: (number: number) => string
  /** Closes everything. */
  close(): Promise<void>
}

/** An agent's work for one question. */
export interface Work {
  /** The number of chunks produced. */
  made: number
  /** The number of chunks produced after the abort. */
  inVain: number
  /** Whether the generator has ended in any way. */
  ended: boolean
}

/** The chunks of an uncancelled answer. */
export const CHUNKS = 8

/** Returns the answer to a question as that many chunks. */
export function answerOf(question: string, chunks: number): string {
  return Array.from({ length: chunks }, (_, index) => `${question}:${index} `).join("")
}

/** Whether a question's call is cancelled: every tenth. Their answers never end by themselves. */
export function isCancelled(question: string): boolean {
  return question.endsWith("9")
}

/** Serves an agent that answers in numbered chunks and keeps few conversations. */
export async function serveCrowd(clients: number, conversations: number): Promise<Crowded> {
  const work = new Map<string, Work>()
  const service = createChatService({
    name: "counter",
    description: "Counts",
    conversation: "kept",
    conversations: { max: conversations },
    async *respond({ text }, { signal }) {
      const done: Work = { made: 0, inVain: 0, ended: false }
      work.set(text, done)
      try {
        for (let index = 0; index < CHUNKS || isCancelled(text); index += 1) {
          done.made += 1
          if (signal.aborted) done.inVain += 1
          yield `${text}:${index} `
          await new Promise((resolve) => setImmediate(resolve))
        }
      } finally {
        done.ended = true
      }
    },
  })
  const adapter = createMcpAdapter(service)
  const keyOf = (number: number): string => `key-${number}`
  const keys = new Map(Array.from({ length: clients }, (_, number) => [keyOf(number), { id: `client-${number}` }]))
  const mcp = createNodeHandler(adapter, { authenticate: apiKeys(keys) })
  const chat = createChatNodeHandler(adapter, { keys })
  const server = createServer((request, response) => {
    if (request.url === "/mcp") void mcp.handle(request, response)
    else void chat.handle(request, response)
  })
  // The crowd keeps this process so busy that a connection about to be used looks idle.
  server.keepAliveTimeout = 60_000
  // Clients connect faster than connections are accepted: the default backlog of 511 is too small.
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4_096, resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    adapter,
    url: `http://127.0.0.1:${port}`,
    work,
    keyOf,
    async close() {
      await Promise.all([mcp.close(), chat.close()])
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      adapter.close()
    },
  }
}
