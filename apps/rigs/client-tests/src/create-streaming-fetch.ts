/** A `fetch` that says when it has opened a stream for notices, because what a server sends before is lost. */
export interface StreamingFetch {
  /** What a transport uses in place of the global one. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** Resolves once there is a stream: the answer to a legacy session's GET, or to a modern client's listen request. */
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
