import { createServer, type Server } from "node:http"
import { createDeferred } from "@x/mcp-adapter/binding"
import { UpstreamError } from "../upstream-error.js"

/** Waits on a loopback address for a browser that comes back from a sign-in. */
export interface CodeListener {
  /** The address that the browser is sent to. */
  readonly url: string
  /** What it brings; rejects if the sign-in was refused, or given up. */
  readonly code: Promise<{ readonly authorizationCode: string; readonly iss?: string }>
  /** Stops listening. */
  close(): Promise<void>
}

const DONE = "Signed in. You can close this page."
const REFUSED = "The sign-in was refused. You can close this page."

/**
 * Listens on 127.0.0.1 for the one answer that has the given state (RFC 8252, section 7.3). Other requests are answered with 404
 * and change nothing.
 *
 * @param port - The port to listen on; if it is taken or absent, any free one.
 */
export async function listenForCode(options: {
  readonly state: string
  readonly port: number | undefined
  readonly signal: AbortSignal
}): Promise<CodeListener> {
  const { state, port = 0, signal } = options
  const { promise: code, resolve, reject } = createDeferred<Awaited<CodeListener["code"]>>()
  // It is waited for later, if at all.
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
  signal.addEventListener("abort", () => reject(new UpstreamError("unauthorized", "the sign-in was given up")))
  await listen(server, port).catch(() => listen(server, 0))
  const address = server.address()
  if (address === null || typeof address === "string") throw new UpstreamError("unreachable", "no port is free")
  return {
    url: `http://127.0.0.1:${address.port}/callback`,
    code,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}

/** The error's code alone is told: its other words are the server's, and may be anything. */
function toRefusal(error: string | null): UpstreamError {
  const code = /^[a-z_]{1,40}$/.test(error ?? "") ? ` (${error})` : ""
  return new UpstreamError("unauthorized", `the sign-in was refused${code}`, { remedy: "sign in again" })
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
