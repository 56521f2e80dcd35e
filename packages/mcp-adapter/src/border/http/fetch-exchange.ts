import { createDeferred, once } from "../../runtime/once.js"
import type { Answer, BodyEnd, Exchange, RequestExtra } from "./exchange.js"

/**
 * One request as hosts with `fetch` have it, and the response to give them, which is there as soon as the answer is sent or
 * begun. Large answers go out as they are taken, so that who does not read them is seen.
 */
export function toFetchExchange(
  request: Request,
  extra: RequestExtra,
): { readonly exchange: Exchange; readonly response: Promise<Response> } {
  const response = createDeferred<Response>()
  const ending = followEnd(request)
  let answered = false
  let out: BodyOut | undefined
  const answer = (make: () => Response): void => {
    if (answered || ending.isOver()) return
    answered = true
    response.resolve(make())
  }
  const exchange: Exchange = {
    head: request,
    extra,
    read: (take) => readBytes(request, take),
    send: ({ status, headers = {}, body }) =>
      answer(() => {
        const size = body === undefined ? 0 : body.length
        if (body === undefined || size < LARGE) {
          ending.over(false)
          return new Response(body ?? null, { status, headers: { ...headers } })
        }
        out = createBodyOut(ending.over)
        out.write(typeof body === "string" ? encoder.encode(body) : body)
        out.end()
        return new Response(out.body, { status, headers: { ...headers } })
      }),
    begin: ({ status, headers = {} }: Answer) =>
      answer(() => {
        out = createBodyOut(ending.over)
        return new Response(out.body, { status, headers: { ...headers } })
      }),
    write: (text) => out?.write(encoder.encode(text)),
    end: () => out?.end(),
    unread: () => out?.unread() ?? 0,
    drop() {
      out?.fail(new Error("the peer was dropped: it left too much unread"))
      extra.disconnect?.()
      ending.over(true)
    },
    onOver: ending.onOver,
  }
  // Whoever is gone gets no answer, but the host may still wait for one.
  ending.onOver((gone) => {
    if (gone && !answered) response.resolve(new Response(null, { status: 499 }))
  })
  return { exchange, response: response.promise }
}

/** A larger body is handed over bit by bit, in bytes. */
const LARGE = 65_536

const encoder = new TextEncoder()

/** Whether an answer is over, for whom that matters, and how it gets to be. */
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

/** A response's body while it is written. */
interface BodyOut {
  readonly body: ReadableStream<Uint8Array>
  write(bytes: Uint8Array): void
  end(): void
  /** Ends it with an error. */
  fail(error: Error): void
  unread(): number
}

/** What waits for the host to take it is kept here and not in the stream, so that it can be counted. */
function createBodyOut(over: (gone: boolean) => void): BodyOut {
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
  const body = new ReadableStream<Uint8Array>(
    {
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
    },
    { highWaterMark: 0 },
  )
  const passWanted = (): void => {
    if (wanted !== undefined) pass()
  }
  return {
    body,
    write(bytes) {
      if (controller === undefined || ending) return
      for (let start = 0; start < bytes.length; start += LARGE) waiting.push(bytes.subarray(start, start + LARGE))
      unread += bytes.length
      passWanted()
    },
    end() {
      ending = true
      // With nothing left to take, nobody has to ask for the end.
      if (waiting.length > 0) passWanted()
      else if (controller !== undefined) pass()
    },
    fail(error) {
      controller?.error(error)
      close()
    },
    unread: () => unread,
  }
}
