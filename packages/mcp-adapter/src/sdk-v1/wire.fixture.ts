import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { expect } from "vitest"
import type { Params, Result } from "../handlers/handler.js"

/** A client that shows the messages of a server of SDK v1. */
export interface Wire {
  /** Sends a request; rejects with the error of the answer. */
  request(method: string, params?: Params, token?: string): Promise<Result>
  /** Sends a notification. */
  notify(method: string): Promise<void>
  /** Sends `initialize`, then `notifications/initialized`. */
  initialize(): Promise<Result>
  /** Returns the received messages: methods, and `answer` for each answer. */
  heard(): readonly string[]
  /** Waits for the next notification of a method. */
  hears(method: string): Promise<void>
  /** Disconnects. */
  close(): Promise<void>
}

/** Connects to a server, and expects all messages to be plain JSON. */
export async function connectWire(server: Server): Promise<Wire> {
  const [mine, other] = InMemoryTransport.createLinkedPair()
  const heard: string[] = []
  const waiting = new Map<string, (message: JSONRPCMessage) => void>()
  let ids = 0
  mine.onmessage = (message) => {
    expect(JSON.parse(JSON.stringify(message))).toEqual(message)
    heard.push("method" in message ? message.method : "answer")
    waiting.get("method" in message ? message.method : String(message.id))?.(message)
  }
  await server.connect(other)
  const request: Wire["request"] = (method, params = {}, token) => {
    ids += 1
    const authInfo: AuthInfo | undefined = token === undefined ? undefined : { token, clientId: token, scopes: [] }
    const answered = new Promise<Result>((resolve, reject) => {
      waiting.set(String(ids), (message) => {
        if ("result" in message) resolve(message.result)
        else reject("error" in message ? message.error : message)
      })
    })
    return mine.send({ jsonrpc: "2.0", id: ids, method, params }, authInfo && { authInfo }).then(() => answered)
  }
  const notify = (method: string): Promise<void> => mine.send({ jsonrpc: "2.0", method })
  return {
    request,
    notify,
    async initialize() {
      const clientInfo = { name: "test", version: "0" }
      const result = await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
      await notify("notifications/initialized")
      return result
    },
    heard: () => [...heard],
    hears: (method) =>
      new Promise((resolve) => {
        waiting.set(method, () => resolve())
      }),
    close: () => mine.close(),
  }
}
