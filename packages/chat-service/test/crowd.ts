import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { apiKeys, createNodeHandler } from "@x/mcp-adapter/http"
import { createChatService } from "../src/create-chat-service.js"
import { createChatNodeHandler } from "../src/http/http.js"

/** What a crowd talks to: one agent behind both doors of one server, on this machine. */
export interface Crowded {
  /** The agent's adapter. */
  readonly adapter: McpAdapter
  /** Where the server is. */
  readonly url: string
  /** What the agent has done for each question. */
  readonly work: ReadonlyMap<string, Work>
  /** The key of one of the crowd. */
  readonly keyOf: (number: number) => string
  /** Ends everything. */
  close(): Promise<void>
}

/** What an agent has done for one question. */
export interface Work {
  /** How many chunks it has made. */
  made: number
  /** How many of them after it was told to stop. */
  inVain: number
  /** Whether its generator has ended, however. */
  ended: boolean
}

/** How many chunks an answer has that is not cancelled. */
export const CHUNKS = 8

/** The answer of so many chunks to a question. */
export function answerOf(question: string, chunks: number): string {
  return Array.from({ length: chunks }, (_, index) => `${question}:${index} `).join("")
}

/** Which questions are asked in vain: every tenth. Their answers never end by themselves. */
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
    if (request.url === "/mcp") mcp.handle(request, response)
    else chat.handle(request, response)
  })
  // A crowd keeps this process so busy that a connection it is about to use looks idle.
  server.keepAliveTimeout = 60_000
  // And connects faster than connections are taken: the usual 511 are too few to wait.
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
