import { createServer, type Server } from "node:http"
import { createDeferred } from "@x/base"
import { UpstreamError } from "../upstream-error.js"

/** Listens on a loopback address for the browser's return from a sign-in. */
export interface CodeListener {
  /** The redirect URL. */
  readonly url: string
  /** The authorization code. Rejects if the sign-in was refused or cancelled. */
  readonly code: Promise<{ readonly authorizationCode: string; readonly iss?: string }>
  /** Stops listening. */
  close(): Promise<void>
}

const DONE = "Signed in. You can close this page."
const REFUSED = "The sign-in was refused. You can close this page."

/**
 * Listens on 127.0.0.1 for the one redirect with the given state (RFC 8252, section 7.3). Answers other requests with 404.
 *
 * @param port - The preferred port. Default, also if taken: any free port.
 */
export async function listenForCode(options: {
  readonly state: string
  readonly port: number | undefined
  readonly signal: AbortSignal
}): Promise<CodeListener> {
  const { state, port = 0, signal } = options
  const { promise: code, resolve, reject } = createDeferred<Awaited<CodeListener["code"]>>()
  // Awaited later, or never.
  code.catch(() => undefined)
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1")
    if (request.method !== "GET" || pathname !== "/callback" || searchParams.get("state") !== state)
      return response.writeHead(404).end()
    const [authorizationCode, iss] = [searchParams.get("code"), searchParams.get("iss")]
    const found = authorizationCode !== null
    response.writeHead(found ? 200 : 400, { "content-type": "text/plain; charset=utf-8", connection: "close" })
    if (found) resolve({ authorizationCode, ...(iss !== null && { iss }) })
    else reject(toRefusal(searchParams.get("error")))
    return response.end(found ? DONE : REFUSED)
  })
  signal.addEventListener("abort", () =>
    reject(new UpstreamError("the sign-in was cancelled, or took too long", { code: "unauthorized" })),
  )
  await listen(server, port).catch(() => listen(server, 0))
  const address = server.address()
  if (address === null || typeof address === "string")
    throw new UpstreamError("no port is free on 127.0.0.1", { code: "unreachable" })
  return {
    url: `http://127.0.0.1:${address.port}/callback`,
    code,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}

/** Reports only the error's code, since the server may put anything into its description. */
function toRefusal(error: string | null): UpstreamError {
  const code = /^[a-z_]{1,40}$/.test(error ?? "") ? ` (${error})` : ""
  return new UpstreamError(`the sign-in was refused${code}`, { code: "unauthorized", remedy: "sign in again" })
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject)
      resolve()
    })
  })
}
