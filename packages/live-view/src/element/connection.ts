import type { Frame } from "../frames/frame.js"

/** How a live view reaches the adapter it shows. */
export type LiveViewFetch = (input: string, init?: RequestInit) => Promise<Response>

/** The way to what is served. */
export interface Connection {
  /** Asks for something with a JSON body; `undefined` where it is not there. */
  ask(name: string, body: object): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Ends it; idempotent. */
  close(): void
}

/** What a connection is told. */
export interface ConnectionOptions {
  /** Where the live view is served, with a slash at its end. */
  readonly src: string
  /** Reaches it. */
  readonly reach: LiveViewFetch
  /** Told what happens. A new connection begins with a start. */
  readonly frames: (frames: readonly Frame[]) => void
  /** Told whether it is there. */
  readonly status: (status: "live" | "lost") => void
}

/** Follows what happens, and comes back by itself when the server was away. */
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

  /** Follows one stream to its end; says whether there was one. */
  async function followOnce(): Promise<boolean> {
    const response = await reach(`${src}events`, { signal: leaving.signal })
    if (!response.ok || response.body === null) return false
    status("live")
    for await (const portion of readPortions(response.body)) frames(portion)
    return true
  }

  async function follow(): Promise<void> {
    for (let wait = 500; !leaving.signal.aborted; wait = Math.min(10_000, wait * 2)) {
      // Whatever broke it, it is tried again; a person sees that it is away.
      if (await followOnce().catch(() => false)) wait = 250
      if (leaving.signal.aborted) return
      status("lost")
      await new Promise((resolve) => setTimeout(resolve, wait + Math.random() * 250))
    }
  }
}

/** Reads server-sent events, each some frames as JSON. */
async function* readPortions(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<readonly Frame[]> {
  let rest = ""
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value).split("\n\n")
    rest = events.pop() ?? ""
    // It is the live view's own server that is asked; what it tells are frames.
    for (const event of events) if (event.startsWith("data: ")) yield JSON.parse(event.slice(6)) as readonly Frame[]
  }
}
