/** Server-sent events, as one body. */
export interface EventStream {
  /** The body. */
  readonly body: ReadableStream<Uint8Array>
  /** Sends one event; nothing once the stream has ended, however it ended. */
  send(data: string): void
  /** Sends the last one, and ends. */
  end(data: string): void
}

/** @param left - Runs when the client leaves before the end. */
export function createEventStream(left: () => void): EventStream {
  const encoder = new TextEncoder()
  let out: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      out = controller
    },
    cancel() {
      out = undefined
      left()
    },
  })
  const send = (data: string): void => out?.enqueue(encoder.encode(`data: ${data}\n\n`))
  return {
    body,
    send,
    end(data) {
      send(data)
      out?.close()
      out = undefined
    },
  }
}
