import { createServer } from "node:http"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const require = createRequire(new URL("../brought/package.json", import.meta.url))
/** Loads a package from `brought`. */
export const load = (name) => import(pathToFileURL(require.resolve(name)).href)

/**
 * Serves a real authorization server on this machine: OpenID Connect with dynamic registration, PKCE and resource indicators.
 * Every visitor is Ann, who grants all requests without seeing a page.
 *
 * @param settings - `scopes` are the supported scopes, `seconds` is the lifetime of new tokens, which may change at any time.
 */
export async function serveAuthorization(settings) {
  const { default: Provider, errors } = await load("oidc-provider")
  const server = createServer()
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://localhost:${server.address().port}`
  const provider = new Provider(issuer, toConfiguration(settings, errors))
  const handle = provider.callback()
  server.on("request", (request, response) => {
    if (request.url.startsWith("/interaction/")) void decide(provider, request, response)
    else handle(request, response)
  })
  return {
    issuer,
    /** Revokes a person's grant to a client: its tokens cannot be refreshed, and the person is asked again. */
    async revoke(grant) {
      await provider.RefreshToken.revokeByGrantId(grant)
      await (await provider.Grant.find(grant))?.destroy()
    },
    metadata: await (await fetch(`${issuer}/.well-known/openid-configuration`)).json(),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function toConfiguration(settings, errors) {
  return {
    clients: [{ ...ROBOT, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] }],
    // By default the provider accepts redirects to any host without TLS.
    extraClientMetadata: {
      properties: ["own_checks"],
      validator(...given) {
        const metadata = given[3]
        // Keeps the scopes of a registration from limiting the scopes that the client may request later.
        metadata.scope = undefined
        const { redirect_uris: uris = [] } = metadata
        const isSafe = (uri) => uri.startsWith("https:") || LOOPBACK.includes(new URL(uri).hostname)
        if (!uris.every(isSafe)) throw new errors.InvalidRedirectUri()
      },
    },
    scopes: ["openid", "offline_access", ...settings.scopes],
    pkce: { required: () => true },
    cookies: { keys: ["only in this rig"] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    // Shared by all tokens derived from it.
    extraTokenClaims: (_, { grantId }) => ({ grant: grantId }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: settings.scopes.join(" "),
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: settings.seconds,
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  }
}

/** A registered client that obtains tokens for itself. */
export const ROBOT = { client_id: "robot", client_secret: "the secret of the robot in this rig" }

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]

/** Signs Ann in and grants the requested scopes. */
async function decide(provider, request, response) {
  const { prompt, params, grantId, session } = await provider.interactionDetails(request, response)
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: "ann" } })
  }
  const grant =
    (grantId && (await provider.Grant.find(grantId))) ||
    new provider.Grant({ accountId: session.accountId, clientId: params.client_id })
  grant.addOIDCScope(params.scope ?? "")
  for (const resource of [params.resource].flat().filter(Boolean)) grant.addResourceScope(resource, params.scope ?? "")
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

/**
 * Acts as Ann's browser: follows the redirects of an authorization URL on this server, with cookies.
 *
 * @returns The first redirect to another origin.
 */
export async function followInBrowser(url) {
  const cookies = new Map()
  const { origin } = new URL(url)
  let next = new URL(url)
  while (next.origin === origin) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(next, { redirect: "manual", headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)
      cookies.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) throw new Error(`${next} answered ${response.status}: ${await response.text()}`)
    next = new URL(location, next)
  }
  return next
}
