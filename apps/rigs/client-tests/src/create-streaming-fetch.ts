/** A `fetch` that reports when its notice stream is open, since earlier notices are lost. */
export interface StreamingFetch {
  /** Replaces the transport's global `fetch`. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** Resolves once the stream is open: the response to a legacy session's GET, or to a modern listen request. */
  readonly streaming: Promise<void>
}

/** Creates a `fetch` for one connection. */
export function createStreamingFetch(): StreamingFetch {
  let opened = (): void => {}
  const streaming = new Promise<void>((resolve) => {
    opened = resolve
  })
  return {
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (response.ok && isStream(init)) opened()
      return response
    },
    streaming,
  }
}

function isStream({ method, headers }: RequestInit = {}): boolean {
  return method === "GET" || new Headers(headers).get("mcp-method") === "subscriptions/listen"
}
