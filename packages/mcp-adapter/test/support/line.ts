import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server"
import type { Era } from "./connect.js"
import { envelope, type Message, toMessage } from "./wire.js"

/** Creates a client of one pipe that sends any message, and records those it receives. */
export function createLine(transport: Transport, era: Era) {
  const heard: Message[] = []
  const waiting = new Set<(message: Message) => void>()
  transport.onmessage = (given: JSONRPCMessage) => {
    const message = toMessage(given)
    heard.push(message)
    for (const look of [...waiting]) look(message)
  }
  const first = (matches: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      const look = (message: Message) => {
        if (!matches(message)) return
        waiting.delete(look)
        resolve(message)
      }
      waiting.add(look)
    })
  const send = (message: Message) => {
    const { params = {} } = message
    const _meta = { ...(era === "modern" && envelope), ...(params["_meta"] as object | undefined) } // The value may be anything.
    const given = { jsonrpc: "2.0", ...message, params: { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) } }
    void transport.send(given as JSONRPCMessage) // Tests may send invalid messages.
  }
  return {
    send,
    /** Waits for the next message of a method. */
    hears: (method: string) => first((message) => message.method === method),
    /** Sends a request and waits for its answer. */
    ask(message: Message) {
      const answer = first(({ id, method }) => id === message.id && method === undefined)
      send(message)
      return answer
    },
    /** Returns the methods of received messages other than answers. */
    heard: () => heard.flatMap(({ method }) => (method === undefined ? [] : [method])),
    /** Returns all received messages. */
    all: (): readonly Message[] => [...heard],
  }
}
