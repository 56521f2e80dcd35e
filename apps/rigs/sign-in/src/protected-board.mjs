import { createServer } from "node:http"
import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { bearer, createNodeHandler } from "@x/mcp-adapter/http"
import { load } from "./authorization-server.mjs"

/** The scopes: the first is required for every token, the second also for deleting. */
export const scopes = ["board:use", "board:delete"]

/**
 * Serves a board that accepts the tokens of an authorization server.
 *
 * @param more - Further options of `bearer`, which only needs the issuer's URL.
 */
export async function serveBoard({ issuer, metadata }, more = {}) {
  const done = []
  const note =
    (what) =>
    (_, { principal }) =>
      void done.push(`${principal.id} ${what}`)
  const add = action({ description: "Add a card", execute: note("added") })
  const clear = action({ description: "Delete all cards", destructive: true, execute: note("cleared") })
  const adapter = createMcpAdapter(createAgenticService({ name: "board", actions: { add, clear } }), {
    scopes: ({ key }) => (key === "clear" ? ["board:delete"] : []),
  })
  const server = createServer()
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const resource = new URL(`http://localhost:${server.address().port}/mcp`)
  const handler = createNodeHandler(adapter, {
    authenticate: bearer({
      verifier: await createVerifier({ issuer, keys: new URL(metadata.jwks_uri), audience: resource.href }),
      resource,
      issuer,
      requiredScopes: ["board:use"],
      scopesSupported: scopes,
      toPrincipal: ({ extra, scopes: granted }) => ({ id: String(extra.sub), scopes: granted }),
      ...more,
    }),
  })
  server.on("request", (request, response) => handler.handle(request, response))
  return {
    url: resource,
    done,
    ledger: adapter.ledger,
    async close() {
      await handler.close()
      server.closeAllConnections()
      server.close()
      adapter.close()
    },
  }
}

/** Creates a verifier that checks tokens with the authorization server's keys. */
export async function createVerifier({ issuer, keys, audience }) {
  const { createRemoteJWKSet, jwtVerify } = await load("jose")
  const find = createRemoteJWKSet(keys)
  return {
    async verifyAccessToken(token) {
      try {
        const { payload } = await jwtVerify(token, find, { issuer, audience })
        const { sub, aud, exp, grant, scope = "", client_id } = payload
        return {
          token,
          clientId: client_id,
          scopes: scope.split(" "),
          expiresAt: exp,
          audience: aud,
          extra: { sub, grant },
        }
      } catch {
        throw new OAuthError(OAuthErrorCode.InvalidToken, "the token is not valid")
      }
    },
  }
}
