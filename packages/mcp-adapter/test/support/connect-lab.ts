import { createInterface } from "node:readline"
import { PassThrough } from "node:stream"
import { fileURLToPath } from "node:url"
import type { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { serveHttp } from "../../src/border/http.js"
import type { CallLimits } from "../../src/calls/call-limits.js"
import { createClient, createHttpTransport, type Era } from "./connect.js"
import { createLab } from "./lab.mjs"

/** A lab's real client, with the lab's journal. */
export interface ConnectedLab {
  /** The client. */
  readonly client: Client
  /** Waits for a journal line, each line once. */
  told(line: string): Promise<void>
  /** All journal lines. */
  readonly lines: readonly string[]
  /** Messages that the client could not match, such as a second answer. */
  readonly errors: readonly Error[]
  /** Ends both sides and returns what is still held. */
  close(): Promise<Readonly<Record<string, number>>>
}

/** Connects a client to its own lab. */
export type ConnectLab = (era: Era, calls: Partial<CallLimits>) => Promise<ConnectedLab>

/** Ways to connect. */
export const connectLab: Readonly<Record<string, ConnectLab>> = {
  async http(era, calls) {
    const journal = createJournal()
    const { adapter, advance } = createLab(calls, journal.tell)
    // Waits of the catch-up would depend on the lab's clock as well.
    const server = await serveHttp(adapter, { port: 0, results: { catchUp: false } })
    const { client, errors } = createWatchedClient(era)
    await client.connect(createHttpTransport(server.url).transport)
    const close = async () => {
      client.onerror = () => {} // Errors after the test are expected.
      await client.close()
      const closed = server.close().then(() => "closed")
      // The client's timeout depends on the lab's clock.
      while ((await Promise.race([closed, new Promise((resolve) => setImmediate(resolve))])) !== "closed") advance(100)
      adapter.close()
      return held(adapter.ledger.counts())
    }
    return { client, errors, ...journal, close }
  },
  async stdio(era, calls) {
    const journal = createJournal()
    const program = fileURLToPath(new URL("serve-lab.mjs", import.meta.url))
    const args = [program, JSON.stringify(calls)]
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" })
    const { client, errors } = createWatchedClient(era)
    const stderr = (transport.stderr ?? new PassThrough()).on("error", () => {})
    const told = createInterface({ input: stderr as PassThrough }).on("line", journal.tell) // The SDK pipes stderr through such a stream.
    await client.connect(transport)
    const ended = new Promise((resolve) => told.once("close", resolve))
    const close = async () => {
      client.onerror = () => {} // Errors after the test are expected.
      await client.close()
      await ended
      return held(JSON.parse(journal.lines.at(-1)?.replace(/^held /, "") ?? ""))
    }
    return { client, errors, ...journal, close }
  },
}

function createWatchedClient(era: Era) {
  const client = createClient(era)
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  return { client, errors }
}

function createJournal() {
  const lines: string[] = []
  const unread: string[] = []
  const waiting = new Set<() => void>()
  return {
    lines,
    tell(line: string) {
      lines.push(line)
      unread.push(line)
      for (const look of [...waiting]) look()
    },
    told: (line: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          const found = unread.indexOf(line)
          if (found < 0) return
          unread.splice(found, 1)
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}

/** Returns counts above 0. */
function held(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}
