import { createDeferred } from "@x/base"
import { once } from "../../runtime/host.js"
import { piecesOf } from "../server/encoded.js"
import type { Answer, BodyEnd, Exchange } from "./exchange.js"
import type { GivenRequest } from "./fetch-request.js"

/**
 * Creates the exchange of one `fetch` request and its response, which resolves as soon as the answer is sent or begun. Large
 * answers are sent as they are read, so that clients that do not read are noticed.
 */
export function toFetchExchange(given: GivenRequest): {
  readonly exchange: Exchange
  readonly response: Promise<Response>
} {
  const { request, extra, leftBody } = given
  const response = createDeferred<Response>()
  const ending = followEnd(request)
  let answered = false
  let out: BodyOut | undefined
  let room = (): void => {}
  const answer = (make: () => Response): void => {
    if (answered || ending.isOver()) return
    answered = true
    response.resolve(make())
  }
  const exchange: Exchange = {
    head: request,
    extra,
    read: (take) => readBytes(request, take),
    ...(leftBody && { leftBody }),
    send: ({ status, headers = {}, body }) =>
      answer(() => {
        if (typeof body !== "object" && (body ?? "").length < LARGE) {
          ending.over(false)
          return new Response(body ?? null, { status, headers: { ...headers } })
        }
        out = createBodyOut(ending.over)
        for (const piece of piecesOf(body)) out.write(piece)
        out.end()
        return new Response(out.body, { status, headers: { ...headers } })
      }),
    begin: ({ status, headers = {} }: Answer) =>
      answer(() => {
        out = createBodyOut(ending.over, () => room())
        return new Response(out.body, { status, headers: { ...headers } })
      }),
    write(text) {
      for (const piece of piecesOf(text)) out?.write(piece)
    },
    end: () => out?.end(),
    unread: () => out?.unread() ?? 0,
    onRoom(callback) {
      room = callback
    },
    drop() {
      out?.fail(new Error("the connection was closed: the client left too many bytes unread"))
      extra.disconnect?.()
      ending.over(true)
    },
    onOver: ending.onOver,
  }
  // A client that has left gets no answer, but the host may still wait for one.
  ending.onOver((gone) => {
    if (gone && !answered) response.resolve(new Response(null, { status: 499 }))
  })
  return { exchange, response: response.promise }
}

/** Bodies from this size on are sent in chunks, in bytes. */
const LARGE = 65_536

/** Tracks when an answer ends, and its listeners. */
interface Ending extends Pick<Exchange, "onOver"> {
  isOver(): boolean
  over(gone: boolean): void
}

function followEnd({ signal }: Request): Ending {
  let ended: boolean | undefined
  const waiting: ((gone: boolean) => void)[] = []
  const leave = (): void => over(true)
  const over = (gone: boolean): void => {
    if (ended !== undefined) return
    ended = gone
    signal.removeEventListener("abort", leave)
    for (const callback of waiting) callback(gone)
  }
  if (signal.aborted) ended = true
  else signal.addEventListener("abort", leave)
  return {
    over,
    isOver: () => ended !== undefined,
    onOver(callback) {
      if (ended === undefined) waiting.push(callback)
      else callback(ended)
    },
  }
}

async function readBytes(request: Request, take: (bytes: Uint8Array) => boolean): Promise<BodyEnd> {
  if (request.bodyUsed) return "taken"
  if (request.body === null) return "whole"
  try {
    const reader = request.body.getReader()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      if (take(chunk.value)) continue
      reader.cancel().catch(() => {})
      return "stopped"
    }
    return "whole"
  } catch {
    return "broken"
  }
}

/** A response body under construction. */
interface BodyOut {
  readonly body: ReadableStream<Uint8Array>
  write(bytes: Uint8Array): void
  end(): void
  /** Ends the body with an error. */
  fail(error: Error): void
  unread(): number
}

/** Creates a response body. Unread bytes wait here instead of in the stream, so that they can be counted. */
function createBodyOut(over: (gone: boolean) => void, taken = (): void => {}): BodyOut {
  const waiting: Uint8Array[] = []
  let unread = 0
  let ending = false
  let wanted: (() => void) | undefined
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const pass = (): void => {
    const bytes = waiting.shift()
    if (bytes === undefined && !ending) return
    wanted?.()
    wanted = undefined
    if (bytes !== undefined) {
      unread -= bytes.length
      controller?.enqueue(bytes)
      taken()
    }
    if (waiting.length > 0 || !ending) return
    controller?.close()
    controller = undefined
    over(false)
  }
  const close = once(() => {
    waiting.length = 0
    unread = 0
    controller = undefined
    wanted?.()
    over(true)
  })
  const body = toUnbuffered({
    start(out) {
      controller = out
    },
    pull() {
      const { promise, resolve } = createDeferred()
      wanted = resolve
      pass()
      return promise
    },
    cancel: close,
  })
  return {
    body,
    write(bytes) {
      if (controller === undefined || ending) return
      for (let start = 0; start < bytes.length; start += LARGE) waiting.push(bytes.subarray(start, start + LARGE))
      unread += bytes.length
      if (wanted !== undefined) pass()
    },
    end() {
      ending = true
      // An empty queue can end without waiting for a read.
      if (controller !== undefined && (wanted !== undefined || waiting.length === 0)) pass()
    },
    fail(error) {
      controller?.error(error)
      close()
    },
    unread: () => unread,
  }
}

function toUnbuffered(source: Source): ReadableStream<Uint8Array> {
  return new ReadableStream(source, { highWaterMark: 0 })
}

interface Source {
  start(out: ReadableStreamDefaultController<Uint8Array>): void
  pull(): Promise<void>
  cancel(): void
}
