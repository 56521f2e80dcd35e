import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import { ClientCredentialsProvider } from "@modelcontextprotocol/client"

/** Serves an authorization server with one client, which the SDK's client discovers. */
export async function serveTokens() {
  const given = new Map()
  const server = createServer(async (request, response) => {
    const answer = await respond(request)
    const headers = {
      "content-type": "application/json",
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*, authorization",
    }
    response.writeHead(answer === undefined ? 404 : 200, headers).end(JSON.stringify(answer))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const issuer = `http://127.0.0.1:${server.address().port}`
  const respond = async (request) => {
    if (request.method === "OPTIONS") return {}
    if (request.url === "/.well-known/oauth-authorization-server")
      return {
        issuer,
        token_endpoint: `${issuer}/token`,
        authorization_endpoint: `${issuer}/authorize`,
        response_types_supported: ["code"],
        grant_types_supported: ["client_credentials"],
        token_endpoint_auth_methods_supported: ["client_secret_post"],
        code_challenge_methods_supported: ["S256"],
      }
    if (request.url !== "/token") return undefined
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
    const token = randomUUID()
    given.set(token, form.get("resource"))
    return { access_token: token, token_type: "Bearer", expires_in: 600 }
  }
  return {
    issuer,
    /** Creates the provider that signs a client in at this server. */
    createProvider: () =>
      new ClientCredentialsProvider({ clientId: "rig", clientSecret: "secret", expectedIssuer: issuer }),
    /** Verifies the issued tokens, each for its resource. */
    verifier: {
      async verifyAccessToken(token) {
        const resource = given.get(token)
        return (
          resource && {
            token,
            clientId: "rig",
            scopes: [],
            expiresAt: Math.floor(Date.now() / 1_000) + 600,
            resource: new URL(resource),
          }
        )
      },
    },
    close: () => new Promise((resolve) => server.close(resolve)).then(() => {}),
  }
}
