import type { Frame } from "../frames/frame.js"

/** A `fetch` that reaches the adapter's live view. */
export type LiveViewFetch = (input: string, init?: RequestInit) => Promise<Response>

/** The connection to a live view's server. */
export interface Connection {
  /** Sends a request with a JSON body. Resolves with `undefined` for a 404. */
  ask(name: string, body: object): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Closes the connection; idempotent. */
  close(): void
}

/** Options of a connection. */
export interface ConnectionOptions {
  /** The URL of the live view, ending with a slash. */
  readonly src: string
  /** Sends requests. */
  readonly reach: LiveViewFetch
  /** Receives frames. Each new connection begins with a start frame. */
  readonly frames: (frames: readonly Frame[]) => void
  /** Receives whether the server is reachable. */
  readonly status: (status: "live" | "lost") => void
}

/** Follows the event stream, and reconnects after failures. */
export function createConnection({ src, reach, frames, status }: ConnectionOptions): Connection {
  const leaving = new AbortController()
  void follow()
  return {
    async ask(name, body) {
      const headers = { "content-type": "application/json" }
      const response = await reach(src + name, { method: "POST", headers, body: JSON.stringify(body) })
      if (response.status === 404) return undefined
      return response.json()
    },
    close: () => leaving.abort(),
  }

  /** Follows one stream to its end. Resolves with whether it could be opened. */
  async function followOnce(): Promise<boolean> {
    const response = await reach(`${src}events`, { signal: leaving.signal })
    if (!response.ok || response.body === null) return false
    status("live")
    for await (const portion of readPortions(response.body)) frames(portion)
    return true
  }

  async function follow(): Promise<void> {
    for (let wait = 500; !leaving.signal.aborted; wait = Math.min(10_000, wait * 2)) {
      // Any failure leads to another attempt; the person sees that the server is unreachable.
      if (await followOnce().catch(() => false)) wait = 250
      if (leaving.signal.aborted) return
      status("lost")
      await new Promise((resolve) => setTimeout(resolve, wait + Math.random() * 250))
    }
  }
}

/** Parses server-sent events, each a JSON list of frames. */
async function* readPortions(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<readonly Frame[]> {
  let rest = ""
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value).split("\n\n")
    rest = events.pop() ?? ""
    // The live view's own server sends only frames.
    for (const event of events) if (event.startsWith("data: ")) yield JSON.parse(event.slice(6)) as readonly Frame[]
  }
}
