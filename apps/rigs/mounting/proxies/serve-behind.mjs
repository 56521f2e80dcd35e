import { once } from "node:events"
import { createServer } from "node:http"
import { createMcpAdapter } from "@x/mcp-adapter"
import { bearer, createNodeHandler } from "@x/mcp-adapter/http"
import { acceptPages } from "@x/page-bridge/node"
import { createBoard } from "../matrix/create-board.mjs"

/** The signed-in person's cookie. */
export const COOKIE = { name: "session", value: "ann" }

/**
 * Serves an application as the guide deploys it: MCP with sign-in at /mcp, the person's own pages at /mcp/person, their
 * WebSockets at /mcp/pages, and the page itself.
 *
 * @param site - The address that browsers and clients use, which is the proxy's.
 */
export async function serveBehind(site, tokens, script) {
  const board = createBoard()
  const server = createServer()
  const pages = acceptPages(server, {
    allowedOrigins: [site],
    authenticate: ({ request }) =>
      request.headers.cookie === `${COOKIE.name}=${COOKIE.value}` ? { id: "ann" } : undefined,
  })
  const adapters = [createMcpAdapter(board.service), createMcpAdapter(({ id }) => pages.of({ id }))]
  const addresses = new Set()
  const [mcp, person] = adapters.map((adapter, index) =>
    createNodeHandler(adapter, {
      trustedProxies: ["127.0.0.1"],
      authenticate: bearer({
        verifier: tokens.verifier,
        resource: new URL(index === 0 ? "/mcp" : "/mcp/person", site),
        issuer: tokens.issuer,
        toPrincipal: () => ({ id: "ann" }),
      }),
    }),
  )
  server.on("request", (request, response) => {
    addresses.add(request.headers["x-forwarded-for"])
    if (/^(\/\.well-known\/oauth-protected-resource)?\/mcp$/.test(request.url)) void mcp.handle(request, response)
    else if (request.url.endsWith("/mcp/person")) void person.handle(request, response)
    else if (request.url === "/page.js") response.setHeader("Content-Type", "text/javascript").end(script)
    else
      response
        .setHeader("Content-Type", "text/html")
        .end('<title>shop</title><body><script type="module" src="/page.js"></script>')
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    port: server.address().port,
    addresses,
    board: { ...board, sessions: () => adapters[0].ledger.counts().session },
    async close() {
      pages.close()
      await Promise.all([mcp.close(), person.close()])
      server.closeAllConnections()
      server.close()
      for (const adapter of adapters) adapter.close()
    },
  }
}
