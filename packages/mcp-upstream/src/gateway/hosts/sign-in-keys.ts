import { isRecord } from "@x/base"
import type { OAuthClient } from "../oauth-client.js"
import type { Fields } from "./recognise-host.js"
import type { EntryContext } from "./variables.js"

/** The hosts' names of sign-in options. */
const OAUTH: Readonly<Record<string, keyof OAuthClient>> = {
  clientId: "clientId",
  client_id: "clientId",
  CLIENT_ID: "clientId",
  clientSecret: "clientSecret",
  client_secret: "clientSecret",
  CLIENT_SECRET: "clientSecret",
  scope: "scope",
  scopes: "scope",
  callbackPort: "callbackPort",
  callback_port: "callbackPort",
  issuer: "issuer",
  authServerMetadataUrl: "issuer",
  grant: "grant",
}

/** The fix for certain unsupported options. */
const REMEDIES: Readonly<Record<string, string>> = {
  authorizationUrl: "the gateway finds it in the metadata of the authorization server: set oauth.issuer instead",
  tokenUrl: "the gateway finds it in the metadata of the authorization server: set oauth.issuer instead",
  redirectUri: "the gateway's page returns to this machine: set oauth.callbackPort instead",
}

/** Reads the sign-in options: under `oauth` or `auth`, Codex's `scopes`, or Copilot's keys. */
export function withOAuth(entry: Fields, context: EntryContext): Fields {
  const { variables, path } = context
  const { oauth, auth, scopes, ...others } = entry
  const given = oauth ?? auth
  const hasSecret = isRecord(given) && Object.keys(given).some((name) => OAUTH[name] === "clientSecret")
  const { rest, ofCopilot } = readCopilot(others, { ...context, hasSecret })
  const key = oauth === undefined ? "auth" : "oauth"
  const beside = { ...ofCopilot, ...(scopes !== undefined && { scopes }) }
  if (given === undefined && Object.keys(beside).length === 0) return rest
  if (given === false) return { ...rest, oauth: false }
  if (given !== undefined && given !== true && !isRecord(given)) {
    variables.fault([...path, key], "expected an object, or false")
    return rest
  }
  const { enabled = true, ...fields } = isRecord(given) ? given : {}
  const read = Object.entries({ ...fields, ...beside }).flatMap(([name, value]) => {
    const ours = Object.hasOwn(OAUTH, name) ? OAUTH[name] : undefined
    const remedy = Object.hasOwn(REMEDIES, name) ? REMEDIES[name] : undefined
    if (ours === undefined)
      variables.fault([...path, key, name], remedy ?? "is not a known option of a sign-in: remove it")
    return ours === undefined ? [] : [[ours, readOption(name, value, { ...context, path: [...path, key, name] })]]
  })
  return { ...rest, oauth: enabled === false ? false : Object.fromEntries(read) }
}

function readOption(name: string, value: unknown, { variables, path }: EntryContext): unknown {
  if (name !== "authServerMetadataUrl") return Array.isArray(value) ? value.join(" ") : value
  const issuer = toIssuer(value)
  if (issuer === undefined)
    variables.fault(path, "is not a well-known URL of an authorization server: set oauth.issuer instead")
  return issuer
}

/** Returns the issuer whose metadata is at a well-known URL (RFC 8414, section 3.1; OpenID Connect Discovery, section 4). */
function toIssuer(metadataUrl: unknown): string | undefined {
  if (typeof metadataUrl !== "string" || !URL.canParse(metadataUrl)) return undefined
  const { origin, pathname } = new URL(metadataUrl)
  const [, before = "", after = ""] =
    /^(.*)\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(\/.*)?$/.exec(pathname) ?? []
  return /\/\.well-known\//.test(pathname) ? `${origin}${before}${after}` : undefined
}

/** Reads the sign-in options of Copilot CLI, which stand beside the URL. */
function readCopilot(entry: Fields, { variables, path, hasSecret }: EntryContext & { readonly hasSecret: boolean }) {
  const { oauthClientId, oauthScopes, oauthPublicClient = true, oauthGrantType, oidc = false, ...rest } = entry
  if (oauthPublicClient !== true && !hasSecret)
    variables.fault(
      [...path, "oauthPublicClient"],
      "its secret is in Copilot's keyring, which the gateway does not read: set oauth.clientSecret",
    )
  if (oidc !== false)
    variables.fault([...path, "oidc"], "its tokens come from GitHub: put a token into headers, with a variable")
  const ofCopilot = {
    ...(oauthClientId !== undefined && { clientId: oauthClientId }),
    ...(oauthScopes !== undefined && { scopes: oauthScopes }),
    ...(oauthGrantType !== undefined && { grant: oauthGrantType }),
  }
  return { rest, ofCopilot }
}
