import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { filter, firstValueFrom, Subject, startWith } from "rxjs"

/** Answers a request by its method: with a result, or never. */
export type Answers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>>

/** A server of the legacy era that answers as it is told. */
export interface Scripted {
  /** Its transports, one for each attempt to connect. */
  readonly transport: () => Promise<Transport>
  /** Says something unasked. */
  notify(method: string, params?: object): void
  /** Writes whatever it is. */
  write(message: unknown): void
  /** Asks the client for something. */
  ask(id: string, method: string, params: object): Promise<unknown>
  /** Ends the connection. */
  drop(): void
  /** What it was asked, by method. */
  readonly asked: readonly string[]
  /** Resolves once it has been asked for a method so often. */
  until(method: string, times: number): Promise<void>
}

/** Makes one. What is not answered here is answered as a server would that has tools and says when they change. */
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
    // A server may write anything: what it is, is for the client to find out.
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

/** A tool with nothing to say. */
export function tool(name: string, more: object = {}): object {
  return { name, inputSchema: { type: "object" }, ...more }
}
