import { createServer } from "node:http"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const require = createRequire(new URL("../brought/package.json", import.meta.url))
/** Loads what npm has brought. */
export const load = (name) => import(pathToFileURL(require.resolve(name)).href)

/**
 * A real authorization server on this machine: OpenID Connect with dynamic registration, PKCE and resource indicators. Who
 * comes is Ann, who grants whatever is asked for, without a page.
 *
 * @param settings - `scopes` are those there are, `seconds` is how long a token is good; may be changed meanwhile.
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
    /** Ends what a person granted to a client: nothing is refreshed any more, and they are asked again. */
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
    // By itself it lets clients be sent back to any host without TLS.
    extraClientMetadata: {
      properties: ["own_checks"],
      validator(...given) {
        const metadata = given[3]
        // What a client asks for when it comes is not all that it may ask for later.
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
    // The same in every token that comes of it.
    extraTokenClaims: (_, { grantId }) => ({ grant: grantId }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
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

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]

/** Ann signs in, and grants. */
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
 * Does what Ann's browser does: follows an authorization URL as far as it leads on this server, with its cookies.
 *
 * @returns The URL that the browser is sent back to.
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
