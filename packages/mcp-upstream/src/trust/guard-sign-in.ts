import { extractWWWAuthenticateParams, type OAuthClientProvider } from "@modelcontextprotocol/client"
import { isRecord, parseJson } from "@x/base"
import { UpstreamError } from "../upstream-error.js"

/**
 * Prevents automatic reconnection from signing in repeatedly: one page at a time, and no second sign-in for a scope that the
 * first did not obtain (2025-11-25 and 2026-07-28, basic/authorization, step-up authorization flow).
 */
export interface GuardedSignIn {
  /** The application's provider, limited to one open page. */
  readonly provider: OAuthClientProvider
  /** Sends requests, and rejects those whose scope an earlier sign-in failed to obtain. */
  readonly send: typeof fetch
  /** Allows another page, on a person's request. */
  renew(): void
}

/** How long a sign-in may take to open its page, in milliseconds; meanwhile no other may start. */
const OPENING_MS = 1_000

const REMEDY = "finish its sign-in, then reconnect"

/** Guards a provider. Transports that use it must send through `send`. */
export function guardSignIn(provider: OAuthClientProvider, send: typeof fetch): GuardedSignIn {
  const page = createPage(provider)
  const wanted = createWantedScopes()
  let asked: string | undefined
  const own: Partial<OAuthClientProvider> = {
    // A sign-in's first step claims the page, so that later steps do not overwrite the state that another page needs to finish.
    ...(provider.state && {
      async state() {
        await page.take()
        return provider.state?.() ?? ""
      },
    }),
    async saveCodeVerifier(verifier) {
      if (provider.state === undefined) await page.take()
      await provider.saveCodeVerifier(verifier)
    },
    // A token without a scope has the requested one (RFC 6749, 5.1), so a later sign-in must request that again.
    saveTokens: (tokens, about) =>
      provider.saveTokens(asked && tokens.scope === undefined ? { ...tokens, scope: asked } : tokens, about),
    async redirectToAuthorization(url) {
      asked = url.searchParams.get("scope") ?? undefined
      try {
        await provider.redirectToAuthorization(url)
      } catch (cause) {
        page.renew()
        throw cause
      }
      page.opened()
    },
  }
  return {
    provider: overlay(provider, own),
    async send(input, init) {
      const response = await send(input, init)
      if (response.ok) wanted.passed(init)
      if (response.status !== 403) return response
      const { error, scope = "" } = extractWWWAuthenticateParams(response)
      if (error !== "insufficient_scope" || wanted.isFirst(scope, init)) return response
      await response.body?.cancel()
      if (await page.isOpen()) throw toNeeded()
      const found = scope === "" ? "another scope" : `the scope ${JSON.stringify(scope.slice(0, 200))}`
      throw new UpstreamError(`it requires ${found}, which a sign-in did not obtain`, {
        code: "unauthorized",
        remedy: "ask the server's operator to grant that scope, then sign in and reconnect",
      })
    },
    renew() {
      page.renew()
      wanted.renew()
    },
  }
}

function toNeeded(): UpstreamError {
  return new UpstreamError("it is waiting for a sign-in", { code: "unauthorized", remedy: REMEDY })
}

/** Tracks the sign-in page, which stays open until a new token arrives. */
function createPage(provider: OAuthClientProvider) {
  let taken: { readonly token: string | undefined; readonly until: number } | undefined
  const tokenNow = async (): Promise<string | undefined> => (await provider.tokens())?.access_token
  const isTaken = (token: string | undefined): boolean =>
    taken !== undefined && taken.token === token && performance.now() < taken.until
  return {
    isOpen: async () => isTaken(await tokenNow()),
    /** Claims the page. Rejects while one is open or opening. */
    async take(): Promise<void> {
      const token = await tokenNow()
      if (isTaken(token)) throw toNeeded()
      taken = { token, until: performance.now() + OPENING_MS }
    },
    opened(): void {
      taken &&= { ...taken, until: Number.POSITIVE_INFINITY }
    },
    renew(): void {
      taken = undefined
    },
  }
}

/** Records the scopes that requests needed beyond their token's, with the operations that needed them. */
function createWantedScopes() {
  const wanted = new Map<string, Set<string>>()
  return {
    /** Returns whether no operation has needed the scope before, so a sign-in may obtain it. */
    isFirst(scope: string, init: RequestInit | undefined): boolean {
      const key = [...new Set(scope.split(/\s+/))].sort().join(" ")
      const before = wanted.get(key)
      // Bounds the pages that a server can open by inventing scopes.
      if (before === undefined && wanted.size >= MOST_SCOPES) return false
      wanted.set(key, (before ?? new Set()).add(operationOf(init)))
      return before === undefined
    },
    /** Notes that an operation that had needed a scope has succeeded, so the scope can be obtained. */
    passed(init: RequestInit | undefined): void {
      if (wanted.size === 0) return
      const operation = operationOf(init)
      for (const [scope, operations] of wanted) if (operations.has(operation)) wanted.delete(scope)
    },
    renew: () => wanted.clear(),
  }
}

/** The most different scopes that a server may require before an operation that needed one succeeds. */
const MOST_SCOPES = 8

/** Returns a key of the request's operation: its method and its target. */
function operationOf(init: RequestInit | undefined): string {
  const message = typeof init?.body === "string" ? parseJson(init.body) : undefined
  const { method, params } = isRecord(message) ? message : {}
  const { name, uri } = isRecord(params) ? params : {}
  return JSON.stringify([init?.method, method, name ?? uri])
}

/** Returns an object with some members replaced. Other methods keep their `this`, which private members need. */
function overlay<Base extends object>(base: Base, own: Partial<Base>): Base {
  return new Proxy(base, {
    get(target, key) {
      const from = Object.hasOwn(own, key) ? own : target
      const found: unknown = Reflect.get(from, key, from)
      return typeof found === "function" ? found.bind(from) : found
    },
  })
}
