import { randomBytes } from "node:crypto"
import {
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client"
import { isRecord } from "@x/base"
import { UpstreamError } from "../upstream-error.js"
import { createClientTokens } from "./client-tokens.js"
import type { GatewayServer } from "./gateway-config.js"
import { listenForCode } from "./listen-for-code.js"
import { isMachine } from "./oauth-client.js"
import { type Kept, type KeptSignIn, toPageProvider, type Way } from "./page-provider.js"
import { createRenewedTokens, type UnauthorizedContext } from "./renewed-tokens.js"
import type { SecretsFile } from "./secrets-file.js"
import { sendNotingScopes, toScopes } from "./sign-in-scopes.js"

/** Signs in to a gateway's servers, and adds their tokens to requests. */
export interface SignIns {
  /**
   * Returns a provider that sends a server's token and refreshes it. It never opens a page: without a token, requests fail with
   * the way to sign in.
   */
  provider(name: string, server: GatewayServer): AuthProvider
  /**
   * Returns a function that sends a server's requests. It stores the scopes that the server requires beyond the token's, and
   * rejects such a request with the way to sign in for them (2025-11-25 and 2026-07-28, step-up authorization flow).
   */
  send(name: string, server: GatewayServer): typeof fetch
  /** Returns the scopes that a server has required beyond its token's. */
  wanted(name: string, server: GatewayServer): readonly string[]
  /**
   * Signs in to one server: opens one page, waits for its redirect to a loopback address, and stores the tokens. Requests the
   * scopes of the configuration; without any, those that the server names, all that it granted before, and all that it has
   * required since.
   *
   * @returns Requested scopes that the server did not grant.
   * @throws UpstreamError `unauthorized` if the sign-in is refused, or `signal` aborts; `invalid_option` if the server's `grant` is
   * `client_credentials`, which needs no page.
   */
  signIn(name: string, server: GatewayServer, page: SignInPage): Promise<readonly string[]>
}

/** The page of a sign-in. */
export interface SignInPage {
  /** Shows the page to the person. */
  open(url: URL): void
  /** Cancels the sign-in. */
  readonly signal: AbortSignal
}

/**
 * Creates the sign-ins, stored in a file of secrets; `remedy` says how to sign in to a server.
 *
 * @example
 * ```ts
 * import { createGateway, createSecretsFile, createSignIns, readGatewayConfig } from "@x/mcp-upstream/node"
 *
 * // Opens the page of one server of a file, and serves them all with the tokens once the person has signed in.
 * export async function serve(file: string, name: string, open: (url: URL) => void) {
 *   const signIns = createSignIns(createSecretsFile("secrets.json"), (server) => `run "gateway sign-in ${server}"`)
 *   const config = await readGatewayConfig(file)
 *   const server = config.mcpServers[name]
 *   if (server !== undefined) await signIns.signIn(name, server, { open, signal: AbortSignal.timeout(300_000) })
 *   return createGateway(config, { signIns })
 * }
 * ```
 */
export function createSignIns(secrets: SecretsFile, remedy: (name: string) => string): SignIns {
  const keptOf = (name: string, server: GatewayServer): KeptSignIn => createKept(secrets, name, server)
  return {
    provider(name, server) {
      if (isMachine(server.oauth)) return createClientTokens(server.oauth)
      const kept = keptOf(name, server)
      const toOwnProvider = (way: Way): OAuthClientProvider => toPageProvider(kept, server, way)
      return createTokens({ read: kept.read, toProvider: toOwnProvider, needed: () => toNeeded(remedy(name)) })
    },
    wanted: (name, server) => keptOf(name, server).read().wanted ?? [],
    send(name, server) {
      const { read, keep } = keptOf(name, server)
      return sendNotingScopes({
        wanted: () => read().wanted ?? [],
        want: (wanted) => keep({ wanted }),
        remedy: () => remedyOf(server, remedy(name)),
      })
    },
    async signIn(name, server, page) {
      if (!isMachine(server.oauth)) return signInOnce(keptOf(name, server), server, page)
      const message = `"${name}" needs no page: its oauth.grant is "client_credentials"; use --check to try it`
      throw new UpstreamError(message, { code: "invalid_option" })
    },
  }
}

function createKept(secrets: SecretsFile, name: string, { url = "" }: GatewayServer): KeptSignIn {
  const read = (): Kept => {
    const found = secrets.get("signIns", name)
    return isRecord(found) && found["url"] === url ? found : { url }
  }
  return { read, keep: (change) => secrets.set("signIns", name, { ...read(), ...change }) }
}

/** Returns the way to sign in for more scopes. */
function remedyOf(server: GatewayServer, remedy: string): string {
  if (isMachine(server.oauth)) return "add them to oauth.scope in the file"
  return chosenScope(server) === undefined ? remedy : `add them to oauth.scope in the file, then ${remedy}`
}

/** Returns the scopes that the configuration limits a sign-in to. */
export function chosenScope({ oauth }: GatewayServer): string | undefined {
  return oauth === false ? undefined : oauth?.scope
}

async function signInOnce(
  kept: KeptSignIn,
  server: GatewayServer,
  { open, signal }: SignInPage,
): Promise<readonly string[]> {
  const url = server.url ?? ""
  const { back, tokens, wanted = [] } = kept.read()
  const { callbackPort } = server.oauth || {}
  const state = randomBytes(16).toString("hex")
  const listener = await listenForCode({ state, port: portOf(back) ?? callbackPort, signal })
  try {
    // A client registered with another redirect URL cannot be used for this one.
    if (back !== undefined && back !== listener.url) kept.keep({ back: undefined, client: undefined })
    const { resourceMetadataUrl, scope } = await challengeOf(url, signal)
    const scopes = toScopes(chosenScope(server) ?? [scope, tokens?.scope, ...wanted].join(" "))
    const asked = scopes.length === 0 ? undefined : scopes.join(" ")
    const provider = toPageProvider(kept, server, { back: listener.url, open, state, asked })
    const options = {
      serverUrl: url,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(asked !== undefined && { scope: asked }),
    }
    const result = await auth(provider, { ...options, forceReauthorization: true })
    if (result !== "AUTHORIZED") await auth(provider, { ...options, ...(await listener.code) })
    kept.keep({ wanted: [] })
    const granted = toScopes(kept.read().tokens?.scope)
    return scopes.filter((each) => !granted.includes(each))
  } catch (cause) {
    throw UpstreamError.from(cause)
  } finally {
    await listener.close()
  }
}

function toNeeded(remedy: string): UpstreamError {
  return new UpstreamError("it is waiting for a sign-in", { code: "unauthorized", remedy })
}

function portOf(back: string | undefined): number | undefined {
  return back === undefined ? undefined : Number(new URL(back).port)
}

interface TokensOptions {
  read(): Kept
  toProvider(way: Way): OAuthClientProvider
  needed(): UpstreamError
}

/** Creates a provider that sends the stored token and refreshes it, but never opens a page. */
function createTokens({ read, toProvider, needed }: TokensOptions): AuthProvider {
  const renew = async ({ response, serverUrl, fetchFn }: UnauthorizedContext): Promise<void> => {
    const { tokens, back = "http://127.0.0.1/" } = read()
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
  return createRenewedTokens({ token: () => read().tokens?.access_token, renew })
}

/** Sends the server a request without a token, to learn its authorization metadata and scope. */
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
