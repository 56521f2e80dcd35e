import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { createMcpAdapter } from "@x/mcp-adapter"
import { bearer, createNodeHandler, type TokenVerifier } from "@x/mcp-adapter/http"
import { acceptPages } from "@x/page-bridge/node"
import express, { type Express } from "express"
import { type Connections, createConnections } from "./connections.js"

/** Options of the shop. */
export interface ShopOptions {
  /** The URL of the authorization server where hosts sign in. */
  readonly issuer: string
  /** Returns the verifier of tokens for the endpoint's URL. `createConnections` says which members `extra` needs. */
  readonly createVerifier: (resource: URL) => TokenVerifier | Promise<TokenVerifier>
  /** Revokes a person's grant at the authorization server. */
  readonly revoke: (grant: string) => Promise<void>
  /** The scope that lets a host drive pages. */
  readonly scope: string
  /** The page's script, bundled. */
  readonly script: string
}

/** A running shop. */
export interface Shop {
  /** The URL for people. */
  readonly url: string
  /** The URL of the MCP endpoint, which people enter in their host. */
  readonly mcp: URL
  /** Closes the server. */
  close(): Promise<void>
}

/**
 * Starts a product's backend as a remote connector. One origin serves the product itself, the pages of signed-in users at
 * `/mcp/pages`, and `/mcp` for hosts, which sign in at the authorization server and see only the pages of the person who signed
 * in. Nobody installs anything.
 */
export async function serveShop({ issuer, createVerifier, revoke, scope, script }: ShopOptions): Promise<Shop> {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // A listening TCP server has an address with a port.
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`
  const mcp = new URL("mcp", url)
  const sessions = createSessions()
  const connections = createConnections(await createVerifier(mcp), revoke)

  const pages = acceptPages(server, {
    allowedOrigins: [new URL(url).origin],
    authenticate: ({ request }) => {
      const user = sessions.userOf(request)
      return user === undefined ? undefined : { id: user }
    },
  })
  const adapter = createMcpAdapter((principal) => pages.of(principal), { name: "shop" })
  const handler = createNodeHandler(adapter, {
    authenticate: bearer({
      verifier: connections.verifier,
      resource: mcp,
      issuer,
      requiredScopes: [scope],
      // The person's id joins the page and the host.
      toPrincipal: ({ extra }) => ({ id: String(extra?.["sub"]) }),
      recheck: true,
    }),
  })
  app.use((request, response, next) => {
    if (/^\/(mcp|\.well-known\/oauth-protected-resource\/mcp)$/.test(request.path))
      void handler.handle(request, response)
    else next()
  })
  addPages(app, { sessions, connections, script })
  return {
    url,
    mcp,
    async close() {
      pages.close()
      await handler.close()
      server.closeAllConnections()
      server.close()
      adapter.close()
    },
  }
}

interface PagesOptions {
  readonly sessions: Sessions
  readonly connections: Connections
  readonly script: string
}

/** Serves the product itself: its page, sign-in, and the connected hosts. */
function addPages(app: Express, { sessions, connections, script }: PagesOptions): void {
  app.get("/", (_, response) => {
    response.type("html").send('<!doctype html><title>shop</title><body><script type="module" src="/page.js"></script>')
  })
  app.get("/page.js", (_, response) => {
    response.type("text/javascript").send(script)
  })
  // A product signs its users in with a password, a passkey, or the same authorization server.
  app.post("/sign-in/:user", (request, response) => {
    response.cookie("session", sessions.begin(request.params.user), { httpOnly: true, sameSite: "lax" }).sendStatus(204)
  })
  app.get("/connections", (request, response) => {
    const user = sessions.userOf(request)
    if (user === undefined) response.sendStatus(401)
    else response.json(connections.of(user))
  })
  // Other sites cannot send it, because browsers send a preflight for DELETE, which gets no permission.
  app.delete("/connections/:client", async (request, response) => {
    const user = sessions.userOf(request)
    if (user !== undefined) await connections.end(user, request.params.client)
    response.sendStatus(user === undefined ? 401 : 204)
  })
}

/** Returns the signed-in person's id from the session cookie. */
interface Sessions {
  begin(user: string): string
  userOf(request: IncomingMessage): string | undefined
}

function createSessions(): Sessions {
  const users = new Map<string, string>()
  return {
    begin(user) {
      const id = randomBytes(24).toString("base64url")
      users.set(id, user)
      return id
    },
    userOf: ({ headers }) => users.get(/(?:^|; )session=([\w-]+)/.exec(headers.cookie ?? "")?.[1] ?? ""),
  }
}
