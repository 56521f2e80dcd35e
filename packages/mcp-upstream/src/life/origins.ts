import { type Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { isRecord } from "@x/base"
import { withTask } from "./task-results.js"

/**
 * Finds the request of ours that a server's message belongs to. Over Streamable HTTP, the stream tells. If all messages share
 * one pipe, a message is assigned only if a single request can have caused it.
 */
export interface Origins {
  /** Returns a new mark. A request sent with it as `relatedRequestId` can be identified. */
  mark(): string
  /** Returns the request that the current notification belongs to; `undefined` if unknown. */
  ofNotification(): Origin | undefined
  /**
   * Returns the request of ours that a request of the server belongs to, by the latter's id; `undefined` if unknown. Answers
   * once per id.
   */
  ofRequest(id: number | string): Origin | undefined
}

/** The request of ours that caused a message. */
export interface Origin {
  /** The request's mark. */
  readonly mark: string
  /** How it was found: by the message's stream, or because no other request was running. */
  readonly by: "stream" | "exclusion"
}

/**
 * Follows the transport of a connected client and delivers its messages one after another. The SDK delivers a notification in a
 * microtask but an answer at once, so the request behind a progress or log message would be gone by then. Messages that arrive
 * in the same task as a notification wait until it is delivered, and so does the end of the connection.
 */
export function followOrigins(client: Client): Origins {
  const { transport } = client
  const known = transport === undefined ? undefined : followed.get(transport)
  if (known !== undefined) return known
  const origins = createOrigins(transport)
  if (transport !== undefined) followed.set(transport, origins)
  byClient.set(client, origins)
  return origins
}

/** Returns the origins of a followed client; `undefined` before it is connected. */
export function originsOf(client: Client): Origins | undefined {
  return byClient.get(client)
}

const followed = new WeakMap<Transport, Origins>()
const byClient = new WeakMap<Client, Origins>()

const MARK = "agentic-request-"

/** The most unanswered requests that are kept; beyond it, no message is assigned by exclusion. */
const MOST_UNANSWERED = 10_000

/** Creates the registry of marked requests without an answer, including cancelled ones. */
function createUnanswered() {
  const marks = new Map<number | string, string>()
  let tooMany = false
  return {
    add(id: number | string, mark: string): void {
      tooMany ||= marks.size >= MOST_UNANSWERED
      if (!tooMany) marks.set(id, mark)
    },
    remove: (id: number | string): void => void marks.delete(id),
    /** Returns the only request that can have caused a message. */
    only(): Origin | undefined {
      const [mark] = tooMany || marks.size > 1 ? [] : marks.values()
      return mark === undefined ? undefined : { mark, by: "exclusion" }
    },
  }
}

function createOrigins(transport: Transport | undefined): Origins {
  const unanswered = createUnanswered()
  const asked = new Map<number | string, Origin | undefined>()
  let count = 0
  let heard: Origin | undefined
  if (transport !== undefined) {
    const hear = hearInTurn(transport, (message, mark) => {
      heard = mark === undefined ? unanswered.only() : { mark, by: "stream" }
      if (isAnswer(message)) unanswered.remove(message.id)
      if (!isRequest(message)) return
      if (asked.size >= MOST_UNANSWERED) asked.clear()
      asked.set(message.id, heard)
    })
    transport.onmessage = (message, extra) => hear(message, { extra })
    markRequests(transport, unanswered, (message, mark) => hear(message, { mark }))
  }
  return {
    mark() {
      count += 1
      return `${MARK}${count}`
    },
    ofNotification: () => heard,
    ofRequest(id) {
      const origin = asked.get(id)
      asked.delete(id)
      return origin
    },
  }
}

type OnMessage = NonNullable<Transport["onmessage"]>
type Message = Parameters<OnMessage>[0]

/** What comes with a message. */
interface Around {
  readonly extra?: Parameters<OnMessage>[1]
  /** The mark of the request on whose stream the message came. */
  readonly mark?: string
}

/** Delivers messages one after another, calling `before` ahead of each. */
function hearInTurn(
  transport: Transport,
  before: (message: Message, mark: string | undefined) => void,
): (message: Message, around: Around) => void {
  const { onmessage, onclose } = transport
  const waiting: (() => void)[] = []
  let hearing = false
  const heard = (): void => {
    hearing = false
    let passed = 0
    while (!hearing && passed < waiting.length) {
      waiting[passed]?.()
      passed += 1
    }
    waiting.splice(0, passed)
  }
  const inTurn = (pass: () => void): void => {
    if (hearing) waiting.push(pass)
    else pass()
  }
  transport.onclose = () => inTurn(() => onclose?.())
  return (message, { extra, mark }) =>
    inTurn(() => {
      before(message, mark)
      onmessage?.(withTask(message), extra)
      if (!isNotification(message)) return
      hearing = true
      queueMicrotask(heard)
    })
}

/** Registers the marked requests that are sent, and reports messages on the stream of each. */
function markRequests(
  transport: Transport,
  unanswered: Pick<ReturnType<typeof createUnanswered>, "add" | "remove">,
  hear: (message: Message, mark: string) => void,
): void {
  const { send } = transport
  transport.send = (message, options) => {
    const { relatedRequestId: mark, ...rest } = options ?? {}
    if (typeof mark !== "string" || !mark.startsWith(MARK)) return send.call(transport, message, options)
    if (!isRequest(message)) return send.call(transport, message, rest)
    const { id } = message
    unanswered.add(id, mark)
    return send
      .call(
        toStreamOf(transport, (heard) => hear(heard, mark)),
        message,
        rest,
      )
      .catch((cause: unknown) => {
        unanswered.remove(id)
        throw cause
      })
  }
}

/** Returns the transport as seen by one request: messages on its response stream, even after a resumption, go to `hear`. */
function toStreamOf(transport: Transport, hear: (message: Message) => void): Transport {
  if (!(transport instanceof StreamableHTTPClientTransport)) return transport
  return new Proxy(transport, {
    get: (target, key, receiver) => (key === "onmessage" ? hear : Reflect.get(target, key, receiver)),
  })
}

// A foreign server may send any JSON.

function isNotification(message: unknown): boolean {
  return isRecord(message) && "method" in message && !("id" in message)
}

function isRequest(message: unknown): message is { readonly id: number | string } {
  return isRecord(message) && "method" in message && "id" in message
}

function isAnswer(message: unknown): message is { readonly id: number | string } {
  return isRecord(message) && !("method" in message) && "id" in message
}
