import { type Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { isRecord } from "@x/tool-schemas/json"

/**
 * Tells which of our requests a message of the server belongs to. Over Streamable HTTP the stream decides on which it came.
 * Where all messages share one pipe, only a message that a single request can have caused is told apart.
 */
export interface Origins {
  /** Returns a new mark; a request that is sent with it as `relatedRequestId` can be told apart. */
  mark(): string
  /** Returns the request that the notification being heard belongs to; `undefined` if it cannot be told. */
  ofNotification(): Origin | undefined
  /** Returns the request of ours that a request of the server belongs to, by its id; `undefined` if it cannot be told. Asked once. */
  ofRequest(id: number | string): Origin | undefined
}

/** The request that a message belongs to. */
export interface Origin {
  /** The mark it was sent with. */
  readonly mark: string
  /** How it is known: by its stream, or because no other request can have caused the message. */
  readonly by: "stream" | "exclusion"
}

/**
 * Follows the transport of a connected client, whose messages are heard one after the other from then on: the SDK hands a
 * notification on in a microtask, but an answer at once, after which nobody knows whose progress or log message it was. Messages
 * that come in the task of a notification wait until it has been heard; so does the end of the connection.
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

/** Returns the origins of a client that is followed; `undefined` before it is connected. */
export function originsOf(client: Client): Origins | undefined {
  return byClient.get(client)
}

const followed = new WeakMap<Transport, Origins>()
const byClient = new WeakMap<Client, Origins>()

const MARK = "agentic-request-"

/** The most requests without an answer that are told apart; with more, nothing is told apart by being the only one. */
const MOST_UNANSWERED = 10_000

/** Requests that were sent with a mark and have no answer, those that were cancelled included. */
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

/** What is known of a message beside what it says. */
interface Around {
  readonly extra?: Parameters<OnMessage>[1]
  /** The mark of the request on whose stream it came. */
  readonly mark?: string
}

/** Hands messages on one after the other, each after `before` has been told of it. */
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
      onmessage?.(message, extra)
      if (!isNotification(message)) return
      hearing = true
      queueMicrotask(heard)
    })
}

/** Notes the marked requests that are sent, and hears what comes on the stream of one. */
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

/** Returns the transport as one request uses it: what comes on the stream of its answer, also after that was resumed, goes to `hear`. */
function toStreamOf(transport: Transport, hear: (message: Message) => void): Transport {
  if (!(transport instanceof StreamableHTTPClientTransport)) return transport
  return new Proxy(transport, {
    get: (target, key, receiver) => (key === "onmessage" ? hear : Reflect.get(target, key, receiver)),
  })
}

// A foreign server may write anything.

function isNotification(message: unknown): boolean {
  return isRecord(message) && "method" in message && !("id" in message)
}

function isRequest(message: unknown): message is { readonly id: number | string } {
  return isRecord(message) && "method" in message && "id" in message
}

function isAnswer(message: unknown): message is { readonly id: number | string } {
  return isRecord(message) && !("method" in message) && "id" in message
}
