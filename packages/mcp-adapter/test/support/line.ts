import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server"
import type { Era } from "./connect.js"
import { envelope, type Message, toMessage } from "./wire.js"

/** A client of one pipe that sends what it is told to, and remembers what it hears. */
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
    const _meta = { ...(era === "modern" && envelope), ...(params["_meta"] as object | undefined) } // Whatever it is.
    const given = { jsonrpc: "2.0", ...message, params: { ...params, ...(Object.keys(_meta).length > 0 && { _meta }) } }
    void transport.send(given as JSONRPCMessage) // As wrong as a client can be, at times.
  }
  return {
    send,
    /** The next message of a method. */
    hears: (method: string) => first((message) => message.method === method),
    /** The answer to a request. */
    ask(message: Message) {
      const answer = first(({ id, method }) => id === message.id && method === undefined)
      send(message)
      return answer
    },
    /** Everything that was heard and answers nothing, by method. */
    heard: () => heard.flatMap(({ method }) => (method === undefined ? [] : [method])),
    /** Everything that was heard. */
    all: (): readonly Message[] => [...heard],
  }
}
