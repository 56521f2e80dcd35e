import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client"
import { followInBrowser } from "./authorization-server.mjs"

const BACK = "http://127.0.0.1:1/back"

/** Creates an SDK client that signs in with Ann's browser. `visits` holds the scopes that each visit requested. */
export function createHost(url, era) {
  const kept = {}
  const visits = []
  const provider = {
    redirectUrl: BACK,
    clientMetadata: {
      redirect_uris: [BACK],
      client_name: "rig",
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    invalidateCredentials(what) {
      if (what === "tokens" || what === "all") kept.tokens = undefined
    },
    codeVerifier: () => kept.verifier,
    discoveryState: () => kept.discovered,
    saveDiscoveryState: (discovered) => void Object.assign(kept, { discovered }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    async redirectToAuthorization(to) {
      const asked = (to.searchParams.get("scope") ?? "").split(" ")
      // The SDK adds `offline_access`, to be able to refresh its tokens.
      visits.push(
        asked
          .filter((scope) => scope !== "offline_access")
          .sort()
          .join(" "),
      )
      kept.back = await followInBrowser(to)
    },
  }
  const negotiation = era === "modern" ? { versionNegotiation: { mode: "auto" } } : {}
  const open = () => new StreamableHTTPClientTransport(url, { authProvider: provider })
  let transport = open()
  let client
  /** Runs an attempt, and again if the person had to sign in first. */
  const signedIn = async (attempt) => {
    try {
      return await attempt()
    } catch (thrown) {
      if (!isUnauthorized(thrown)) throw thrown
      await transport.finishAuth(kept.back.searchParams)
      return attempt()
    }
  }
  const connect = () =>
    signedIn(async () => {
      client = new Client({ name: "rig", version: "0" }, negotiation)
      transport = open()
      await client.connect(transport)
      return client
    })
  return {
    visits,
    kept,
    connect,
    /** Completes a repeated sign-in. */
    async signInAgain() {
      await transport.finishAuth(kept.back.searchParams)
      await client.close()
      return connect()
    },
    call: (name) => signedIn(() => client.callTool({ name })),
    close: () => client?.close(),
  }
}

function isUnauthorized(thrown) {
  for (let one = thrown; one instanceof Error; one = one.cause) if (one instanceof UnauthorizedError) return true
  return false
}
