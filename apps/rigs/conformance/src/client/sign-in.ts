import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client"

/** The sign-in of a scenario's client. */
export interface SignIn {
  /** The OAuth provider to pass to the client. */
  readonly provider: OAuthClientProvider
  /** Returns the callback's parameters of the last page, once. Returns `undefined` if no page was opened since. */
  takeCallback(): URLSearchParams | undefined
  /** Calls the listener for each opened page. */
  opened(listener: () => void): void
}

/** A scenario's parameters for its client, besides the URL. */
export type Context = Readonly<Record<string, unknown>>

const BACK = "http://localhost:3000/callback"
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json"

/** Creates a scenario's sign-in: by a person who agrees at once, or without a person if the scenario is about that. */
export async function createSignIn(scenario: string, context: Context): Promise<SignIn> {
  const alone = createWithoutPerson(scenario, context)
  if (alone !== undefined) return { provider: alone, takeCallback: () => undefined, opened() {} }
  const dpop = scenario.startsWith("auth/dpop") ? await DpopSession.create() : undefined
  return createPerson(dpop, scenario === "auth/pre-registration" ? context : undefined)
}

function text(context: Context, key: string): string {
  const value = context[key]
  if (typeof value !== "string") throw new Error(`the scenario has no "${key}"`)
  return value
}

/** Creates the provider of a client that signs in without a person. Returns `undefined` for other scenarios. */
function createWithoutPerson(scenario: string, context: Context): OAuthClientProvider | undefined {
  const clientId = (): string => text(context, "client_id")
  switch (scenario) {
    case "auth/client-credentials-basic":
      return new ClientCredentialsProvider({ clientId: clientId(), clientSecret: text(context, "client_secret") })
    case "auth/client-credentials-jwt":
      return new PrivateKeyJwtProvider({
        clientId: clientId(),
        privateKey: text(context, "private_key_pem"),
        algorithm: "ES256",
      })
    case "auth/enterprise-managed-authorization":
    case "auth/cross-app-access-complete-flow":
      return createEnterprise(context)
    case "auth/wif-jwt-bearer":
      return createWorkload(clientId(), text(context, "valid_jwt"))
    default:
      return undefined
  }
}

function createEnterprise(context: Context): OAuthClientProvider {
  return new CrossAppAccessProvider({
    clientId: text(context, "client_id"),
    clientSecret: text(context, "client_secret"),
    async assertion({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
      const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
        tokenEndpoint: text(context, "idp_token_endpoint"),
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken: text(context, "idp_id_token"),
        clientId: text(context, "idp_client_id"),
        ...(scope !== undefined && { scope }),
        fetchFn,
      })
      return jwtAuthGrant
    },
  })
}

/** Creates the provider of a workload, which presents a token of its platform (SEP-1933). */
function createWorkload(clientId: string, assertion: string): OAuthClientProvider {
  let tokens: StoredOAuthTokens | undefined
  const unused = (): never => {
    throw new Error("a workload cannot ask a person to sign in")
  }
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], token_endpoint_auth_method: "none" },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => tokens,
    saveTokens(next) {
      tokens = next
    },
    redirectToAuthorization: unused,
    saveCodeVerifier: unused,
    codeVerifier: unused,
    prepareTokenRequest(scope) {
      const grant = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }
      return new URLSearchParams({ ...grant, ...(scope !== undefined && { scope }) })
    },
  }
}

/** Creates the sign-in of a person with a browser. */
function createPerson(dpop: DpopSession | undefined, registered: Context | undefined): SignIn {
  let client: StoredOAuthClientInformation | undefined
  let tokens: StoredOAuthTokens | undefined
  let verifier = ""
  let discovered: OAuthDiscoveryState | undefined
  let callback: URLSearchParams | undefined
  let told = (): void => {}
  if (registered !== undefined)
    client = { client_id: text(registered, "client_id"), client_secret: text(registered, "client_secret") }
  return {
    takeCallback() {
      const taken = callback
      callback = undefined
      return taken
    },
    opened(listener) {
      told = listener
    },
    provider: {
      redirectUrl: BACK,
      clientMetadataUrl: CLIENT_DOCUMENT,
      clientMetadata: {
        client_name: "conformance",
        redirect_uris: [BACK],
        grant_types: ["authorization_code", "refresh_token"],
      },
      ...(dpop && { dpop: () => dpop }),
      clientInformation: () => client,
      saveClientInformation(next) {
        client = next
      },
      tokens: () => tokens,
      saveTokens(next) {
        tokens = next
        // Forgets the discovery: the server may name another authorization server at the next sign-in.
        discovered = undefined
      },
      codeVerifier: () => verifier,
      saveCodeVerifier(next) {
        verifier = next
      },
      discoveryState: () => discovered,
      saveDiscoveryState(next) {
        discovered = next
      },
      invalidateCredentials(what) {
        if (what === "all" || what === "client") client = undefined
        if (what === "all" || what === "tokens") tokens = undefined
        if (what === "all" || what === "discovery") discovered = undefined
      },
      async redirectToAuthorization(page) {
        const response = await fetch(page, { redirect: "manual" })
        const back = response.headers.get("location")
        if (back === null) throw new Error(`the page answered ${response.status} without a redirect`)
        callback = new URL(back).searchParams
        told()
      },
    },
  }
}
