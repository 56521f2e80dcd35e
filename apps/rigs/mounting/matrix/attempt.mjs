import { ok } from "node:assert"
import { createServer } from "node:net"
import { createMcpAdapter } from "@x/mcp-adapter"
import { bearer } from "@x/mcp-adapter/http"
import { createBrowserFetch } from "./browser-fetch.mjs"
import { createBoard } from "./create-board.mjs"
import { has, hasCors, ORIGIN } from "./layers.mjs"
import { play } from "./play.mjs"

const METADATA = "/.well-known/oauth-protected-resource/mcp"

/**
 * Mounts MCP in one way, plays it, and takes it down.
 *
 * @param way - The changes made to the shortest setup.
 * @param tokens - The token server, if clients have to sign in.
 * @returns The first error, then all messages to the client, the page and the operator. Empty if MCP works.
 */
export async function attempt(row, { layer, way, tokens }) {
  const port = await findPort()
  const url = `http://127.0.0.1:${port}/mcp`
  const { service, progressRead } = createBoard()
  const adapter = createMcpAdapter(service)
  const told = []
  const unserved = new Promise((resolve) => {
    adapter.events.subscribe(({ type, diagnostic }) => {
      if (type !== "diagnostic") return
      told.push(diagnostic.message)
      if (diagnostic.code === "metadata_unserved") resolve()
    })
  })
  const site = {
    layer,
    way,
    adapter,
    port,
    paths: tokens && way.metadata ? ["/mcp", METADATA] : ["/mcp"],
    options: {
      ...(way.origins && { allowedOrigins: [ORIGIN] }),
      ...(tokens && { authenticate: createAuthenticate(url, tokens) }),
    },
  }
  const server = await row.start(site)
  const fromPage = createBrowserFetch(ORIGIN, (words) => told.push(words))
  const board = { progressRead, sessions: () => adapter.ledger.counts().session }
  try {
    await checkLayer(port, layer)
    await play(url, board, { fetch: hasCors(layer) ? fromPage : fetch, authProvider: tokens?.createProvider() })
    return []
  } catch (thrown) {
    // Waits for the diagnostic, which follows once the endpoint has requested its own metadata.
    if (told.some((words) => words.includes("refused a request from"))) await Promise.race([unserved, rest()])
    return [thrown.message, ...told]
  } finally {
    await server.close()
    adapter.close()
  }
}

/** Checks that a layer takes effect on a page of the application. */
async function checkLayer(port, layer) {
  const page = await fetch(`http://127.0.0.1:${port}/page`, { headers: { origin: ORIGIN } })
  const { headers } = page
  // An unread body would keep the connection open and the server from closing.
  await page.text()
  if (has(layer, "compression")) ok(headers.has("content-encoding"), "the compression middleware does not compress")
  if (hasCors(layer)) ok(headers.has("access-control-allow-origin"), "the CORS middleware allows no origin")
}

function createAuthenticate(url, { verifier, issuer }) {
  return bearer({ verifier, issuer, resource: new URL(url), toPrincipal: ({ clientId }) => ({ id: clientId }) })
}

/** The next port to try, below the system's range for outgoing connections, which could take a port before its use. */
let nextPort = 20_000 + (process.pid % 10_000)

/** Finds a free port. The port has to be known before the server listens. */
async function findPort() {
  for (;;) {
    const server = createServer()
    const port = nextPort++
    const free = await new Promise((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true))
    })
    if (!free) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

function rest() {
  return new Promise((resolve) => setTimeout(resolve, 5_000).unref())
}
