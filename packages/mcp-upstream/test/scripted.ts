import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { filter, firstValueFrom, Subject, startWith } from "rxjs"

/** Answers a request by its method: with a result, or never. */
export type Answers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>>

/** A legacy server that follows a script. */
export interface Scripted {
  /** Creates the transport of each attempt to connect. */
  readonly transport: () => Promise<Transport>
  /** Sends a notification. */
  notify(method: string, params?: object): void
  /** Sends any value as a message. */
  write(message: unknown): void
  /** Sends a request to the client. */
  ask(id: string, method: string, params: object): Promise<unknown>
  /** Ends the connection. */
  drop(): void
  /** The requests received, by method. */
  readonly asked: readonly string[]
  /** Resolves once a method has been requested that often. */
  until(method: string, times: number): Promise<void>
}

/** Creates a scripted server. Unscripted requests get the answers of a server that has tools and announces their changes. */
export function createScripted(answers: Answers, capabilities: object = { tools: { listChanged: true } }): Scripted {
  const asked: string[] = []
  const asks = new Subject<void>()
  const waiting = new Map<unknown, (result: unknown) => void>()
  let current: Transport | undefined
  const all: Answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities,
      serverInfo: { name: "script", version: "1" },
    }),
    ping: () => ({}),
    "tools/list": () => ({ tools: [] }),
    ...answers,
  }
  const deliver = (message: unknown): void => {
    // The message may be invalid on purpose; detecting that is the client's job.
    queueMicrotask(() => current?.onmessage?.(message as JSONRPCMessage))
  }
  const answer = async (id: unknown, method: string, params: Readonly<Record<string, unknown>>): Promise<void> => {
    asked.push(method)
    asks.next()
    const find = all[method]
    if (find === undefined) return deliver({ jsonrpc: "2.0", id, error: { code: -32_601, message: "no such method" } })
    const result = await find(params)
    if (result !== undefined) deliver({ jsonrpc: "2.0", id, result })
  }
  return {
    asked,
    async until(method, times) {
      const reached = (): boolean => asked.filter((each) => each === method).length >= times
      await firstValueFrom(
        asks.pipe(
          startWith(undefined),
          filter(() => reached()),
        ),
      )
    },
    async transport() {
      const transport: Transport = {
        start: async () => {},
        close: async () => transport.onclose?.(),
        async send(message) {
          if ("result" in message) waiting.get(message.id)?.(message.result)
          if ("method" in message && "id" in message) void answer(message.id, message.method, { ...message.params })
        },
      }
      current = transport
      return transport
    },
    notify: (method, params) => deliver({ jsonrpc: "2.0", method, ...(params && { params }) }),
    write: deliver,
    ask: (id, method, params) =>
      new Promise((resolve) => {
        waiting.set(id, resolve)
        deliver({ jsonrpc: "2.0", id, method, params })
      }),
    drop: () => current?.onclose?.(),
  }
}

/** Returns a tool definition without texts. */
export function tool(name: string, more: object = {}): object {
  return { name, inputSchema: { type: "object" }, ...more }
}
