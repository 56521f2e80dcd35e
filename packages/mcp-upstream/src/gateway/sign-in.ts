import { randomBytes } from "node:crypto"
import {
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client"
import { isRecord } from "@x/tool-schemas/json"
import { UpstreamError } from "../upstream-error.js"
import type { GatewayServer } from "./gateway-config.js"
import { listenForCode } from "./listen-for-code.js"
import type { SecretsFile } from "./secrets-file.js"

/** Signs in to the servers of a gateway, and puts their tokens into requests. */
export interface SignIns {
  /**
   * Returns what puts a server's token into its requests and refreshes it. It never opens a page: a server without a token is
   * refused with how to sign in.
   */
  provider(name: string, server: GatewayServer): AuthProvider
  /**
   * Signs in to one server: opens one page, waits for it on a loopback address, and keeps the tokens.
   *
   * @throws UpstreamError `unauthorized` if the sign-in is refused, or `signal` aborts.
   */
  signIn(name: string, server: GatewayServer, page: SignInPage): Promise<void>
}

/** The page of a sign-in. */
export interface SignInPage {
  /** Shows the page to the person. */
  open(url: URL): void
  /** Gives the sign-in up. */
  readonly signal: AbortSignal
}

/** What the SDK tells of a refused request. */
type UnauthorizedContext = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0]

/** What is kept of a server's sign-in. It counts for that very URL alone. */
interface Kept {
  readonly url?: string
  /** The loopback address that the client is registered with. */
  readonly back?: string
  readonly client?: StoredOAuthClientInformation
  readonly tokens?: StoredOAuthTokens
}

/** Creates sign-ins that are kept in a file of secrets; `remedy` says how to sign in to a server. */
export function createSignIns(secrets: SecretsFile, remedy: (name: string) => string): SignIns {
  const read = (name: string, { url = "" }: GatewayServer): Kept => {
    const found = secrets.get("signIns", name)
    return isRecord(found) && found["url"] === url ? found : { url }
  }
  const keep = (name: string, server: GatewayServer, change: Kept): void =>
    secrets.set("signIns", name, { ...read(name, server), ...change })

  const toProvider = (name: string, server: GatewayServer, { back, open, state }: Way): OAuthClientProvider => {
    const { clientId, clientSecret, scope } = server.oauth || {}
    let verifier = ""
    let discovered: OAuthDiscoveryState | undefined
    const given =
      clientId === undefined ? undefined : { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }
    return {
      redirectUrl: back,
      clientMetadata: {
        client_name: "mcp-gateway",
        redirect_uris: [back],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: clientSecret === undefined ? "none" : "client_secret_post",
        ...(scope && { scope }),
      },
      state: () => state,
      clientInformation: () => given ?? read(name, server).client,
      saveClientInformation: (client) => keep(name, server, { client, back }),
      tokens: () => read(name, server).tokens,
      saveTokens: (tokens) => keep(name, server, { tokens }),
      redirectToAuthorization: open,
      saveCodeVerifier(made) {
        verifier = made
      },
      codeVerifier: () => verifier,
      // The code goes to the authorization server that the page was of, and to no other.
      saveDiscoveryState(state) {
        discovered = state
      },
      discoveryState: () => discovered,
    }
  }
  return {
    provider: (name, server) =>
      createTokens({
        read: () => read(name, server),
        toProvider: (way) => toProvider(name, server, way),
        needed: () => toNeeded(remedy(name)),
      }),
    async signIn(name, server, { open, signal }) {
      const url = server.url ?? ""
      const before = read(name, server)
      const { callbackPort } = server.oauth || {}
      const state = randomBytes(16).toString("hex")
      const listener = await listenForCode({
        state,
        port: portOf(before.back) ?? callbackPort,
        signal,
      })
      try {
        // A client that is registered with another address is none for this one.
        if (before.back !== undefined && before.back !== listener.url)
          secrets.set("signIns", name, { url, ...(before.tokens && { tokens: before.tokens }) })
        const provider = toProvider(name, server, { back: listener.url, open, state })
        const options = { serverUrl: url, ...(await challengeOf(url, signal)) }
        const result = await auth(provider, { ...options, forceReauthorization: true })
        if (result === "AUTHORIZED") return
        await auth(provider, { ...options, ...(await listener.code) })
      } catch (cause) {
        throw UpstreamError.from(cause)
      } finally {
        await listener.close()
      }
    },
  }
}

/** How a client is led to the page and back. */
interface Way {
  readonly back: string
  readonly open: (url: URL) => void
  readonly state: string
}

function toNeeded(remedy: string): UpstreamError {
  return new UpstreamError("unauthorized", "it waits for a sign-in", { remedy })
}

function portOf(back: string | undefined): number | undefined {
  return back === undefined ? undefined : Number(new URL(back).port)
}

interface TokensOptions {
  read(): Kept
  toProvider(way: Way): OAuthClientProvider
  needed(): UpstreamError
}

/** Puts the kept token into requests. A token that is refused is refreshed once for all requests that it was refused to. */
function createTokens({ read, toProvider, needed }: TokensOptions): AuthProvider {
  let used: string | undefined
  let refreshing: Promise<void> | undefined
  const refresh = async ({ response, serverUrl, fetchFn }: UnauthorizedContext): Promise<void> => {
    const { tokens, back = "http://127.0.0.1/" } = read()
    // Somebody has signed in, or refreshed it, meanwhile.
    if (tokens !== undefined && tokens.access_token !== used) return
    if (tokens?.refresh_token === undefined) throw needed()
    const refuse = (): never => {
      throw needed()
    }
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
    await auth(toProvider({ back, open: refuse, state: "" }), {
      serverUrl,
      fetchFn,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    }).catch((cause: unknown) => {
      throw cause instanceof UpstreamError ? cause : needed()
    })
  }
  return {
    async token() {
      used = read().tokens?.access_token
      return used
    },
    onUnauthorized(context) {
      refreshing ??= refresh(context).finally(() => {
        refreshing = undefined
      })
      return refreshing
    },
  }
}

/** Asks the server without a token where its authorization server is described, and for which scope. */
async function challengeOf(url: string, signal: AbortSignal) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    signal,
  })
  await response.body?.cancel()
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
}
