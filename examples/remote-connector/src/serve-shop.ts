import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { createMcpAdapter } from "@x/mcp-adapter"
import { bearer, createNodeHandler, type TokenVerifier } from "@x/mcp-adapter/http"
import { acceptPages } from "@x/page-bridge/node"
import express, { type Express } from "express"
import { type Connections, createConnections } from "./connections.js"

/** What the shop needs. */
export interface ShopOptions {
  /** The authorization server that hosts sign in at. */
  readonly issuer: string
  /** Checks its tokens, for the URL of the endpoint; see `createConnections` for what `extra` has to hold. */
  readonly createVerifier: (resource: URL) => TokenVerifier | Promise<TokenVerifier>
  /** Ends what a person granted to a host, at the authorization server. */
  readonly revoke: (grant: string) => Promise<void>
  /** The scope that lets a host drive pages. */
  readonly scope: string
  /** The page's script, bundled. */
  readonly script: string
}

/** A shop that is open. */
export interface Shop {
  /** Where people shop. */
  readonly url: string
  /** What a person gives their host to connect to. */
  readonly mcp: URL
  /** Closes it. */
  close(): Promise<void>
}

/**
 * A product's backend as a remote connector. On one origin there are the product itself, its signed-in users' pages at
 * `/mcp/pages`, and `/mcp` for hosts, who sign in at the authorization server and see the pages of whoever signed in, and no
 * others. Nothing is installed on anybody's machine.
 */
export async function serveShop({ issuer, createVerifier, revoke, scope, script }: ShopOptions): Promise<Shop> {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // It listens, so it has an address with a port.
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`
  const mcp = new URL("mcp", url)
  const sessions = createSessions()
  const connections = createConnections(await createVerifier(mcp), revoke)

  const pages = acceptPages(server, {
    origins: [new URL(url).origin],
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
      // The same person in the browser and at the host: that is what joins the two.
      toPrincipal: ({ extra }) => ({ id: String(extra?.["sub"]) }),
      recheck: true,
    }),
  })
  app.use((request, response, next) => {
    if (/^\/(mcp|\.well-known\/oauth-protected-resource\/mcp)$/.test(request.path)) handler.handle(request, response)
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

/** The product itself: its page, signing in, and who is connected. */
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
  // Another site cannot send it: a DELETE asks first, and is not answered.
  app.delete("/connections/:client", async (request, response) => {
    const user = sessions.userOf(request)
    if (user !== undefined) await connections.end(user, request.params.client)
    response.sendStatus(user === undefined ? 401 : 204)
  })
}

/** Who is signed in to the product, by cookie. */
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
