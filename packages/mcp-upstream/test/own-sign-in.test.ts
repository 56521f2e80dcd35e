import type { OAuthClientProvider, OAuthDiscoveryState, StoredOAuthTokens } from "@modelcontextprotocol/client"
import { filter, firstValueFrom, Subject } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer } from "../src/index.js"
import type { Upstream } from "../src/upstream.js"
import { type SiteRules, serveOAuth } from "./oauth-site.js"

describe("a server to which the application signs in", () => {
  it("is left down with one page open, and there once that is finished", async () => {
    const { site, upstream, browser } = await open()
    const waiting = await isIn(upstream, "down")
    const callback = await browser.back()

    await upstream.finishSignIn(callback)
    await hasTool(upstream)

    expect(waiting).toMatchObject({ remedy: expect.stringContaining("finish its sign-in") })
    expect(await upstream.execute("whoami", {})).toMatchObject({ ok: true, content: [{ text: "ann" }] })
    expect(site.asked()).toHaveLength(1)
  })

  it("is also down if it accepts connections but rejects all requests", async () => {
    const { site, upstream, browser } = await open({ openHandshake: true })
    await isIn(upstream, "down")

    await Promise.all([1, 2, 3].map(() => upstream.execute("whoami", {})))
    await upstream.finishSignIn(await browser.back())
    await hasTool(upstream)

    expect(site.asked()).toHaveLength(1)
  })

  it("opens another page only when it is reconnected, and takes no answer to the one before", async () => {
    const { site, upstream, browser } = await open()
    await isIn(upstream, "down")
    const first = await browser.back()

    upstream.reconnect()
    const second = await browser.back()
    await isIn(upstream, "down")
    const refused = upstream.finishSignIn(first)

    await expect(refused).rejects.toMatchObject({ code: "unauthorized", remedy: "reconnect to open another page" })
    upstream.reconnect()
    await upstream.finishSignIn(await browser.back())
    await hasTool(upstream)
    expect(second).not.toEqual(first)
    expect(site.asked()).toHaveLength(3)
  })

  it("opens one page for calls that want more than the token has, for all that was granted besides", async () => {
    const { site, upstream, browser } = await open({ wants: wantsToCall })
    await upstream.finishSignIn(await browser.back())
    await hasTool(upstream)

    const replies = await Promise.all([1, 2, 3].map(() => upstream.execute("whoami", {})))
    await upstream.finishSignIn(await browser.back())
    const after = await upstream.execute("whoami", {})

    expect(replies.map(({ ok }) => ok)).toEqual([false, false, false])
    expect(replies).toContainEqual(expect.objectContaining({ recovery: expect.stringContaining("finish its sign-in") }))
    expect(after).toMatchObject({ ok: true })
    expect(site.asked()).toEqual(["base", "base call"])
  })

  it("signs in once for a scope that is never granted, however often it is called", async () => {
    const grants = (asked: readonly string[]) => asked.filter((scope) => scope !== "call")
    const { site, upstream, browser } = await open({ wants: wantsToCall, grants })
    await upstream.finishSignIn(await browser.back())
    await hasTool(upstream)
    await upstream.execute("whoami", {})
    await upstream.finishSignIn(await browser.back())

    const replies = [await upstream.execute("whoami", {}), await upstream.execute("whoami", {})]

    const refusal = { ok: false, message: expect.stringContaining('the scope "call"') }
    expect(replies).toMatchObject([refusal, refusal])
    expect(site.asked()).toHaveLength(2)
  })

  it("stays down after one more page if its lists require a scope that is never granted", async () => {
    const { site, upstream, browser } = await open({ openHandshake: true, wants: () => "all", grants: () => [] })
    await upstream.finishSignIn(await browser.back())
    await upstream.finishSignIn(await browser.back())

    const down = await firstValueFrom(
      upstream.status.pipe(filter((status) => status.state === "down" && status.reason.includes("scope"))),
    )

    expect(down).toMatchObject({ reason: expect.stringContaining('"all"') })
    expect(site.asked()).toHaveLength(2)
  })

  it("signs in again once its token has lapsed, for the same scope", async () => {
    const { site, upstream, browser } = await open({ wants: wantsToCall, refreshes: false })
    await upstream.finishSignIn(await browser.back())
    await hasTool(upstream)
    await upstream.execute("whoami", {})
    await upstream.finishSignIn(await browser.back())
    await upstream.execute("whoami", {})

    site.expire()
    await upstream.execute("whoami", {})
    await upstream.finishSignIn(await browser.back())

    expect(site.asked()).toHaveLength(3)
  })

  it("takes no answer of another authorization server", async () => {
    const { upstream, browser } = await open()
    const callback = await browser.back()
    callback.set("iss", "https://elsewhere.example")

    await expect(upstream.finishSignIn(callback)).rejects.toMatchObject({ code: "unauthorized" })
    expect(browser.tokens()).toBe(undefined)
  })

  it("says that the person refused", async () => {
    const { upstream, browser } = await open()
    const callback = await browser.back()
    const refused = new URLSearchParams({ error: "access_denied", iss: callback.get("iss") ?? "" })

    await expect(upstream.finishSignIn(refused)).rejects.toThrow("the sign-in was refused: access_denied")
  })
})

describe("a server without a sign-in", () => {
  it("says which scope its tokens lack where it cannot sign in for more", async () => {
    const site = await serveOAuth({ wants: wantsToCall })
    const browser = createBrowser()
    const signedIn = fromMcpServer({ url: site.url, auth: browser.provider }, { era: "legacy" })
    onTestFinished(() => signedIn.close())
    signedIn.actions.subscribe()
    await signedIn.finishSignIn(await browser.back())
    const auth = { token: async () => browser.tokens()?.access_token }
    const upstream = fromMcpServer({ url: site.url, auth }, { era: "legacy" })
    onTestFinished(() => upstream.close())
    await hasTool(upstream)

    expect(await upstream.execute("whoami", {})).toMatchObject({
      message: expect.stringContaining('it requires the scope "call", which the credentials lack'),
      recovery: expect.stringContaining("sign-in"),
    })
  })

  it("has none to finish", async () => {
    const upstream = fromMcpServer({ url: "http://127.0.0.1:9/mcp", auth: { token: async () => "static" } })
    onTestFinished(() => upstream.close())

    await expect(upstream.finishSignIn(new URLSearchParams())).rejects.toMatchObject({ code: "invalid_option" })
  })
})

/** Requires for calls a scope that the first sign-in does not request. */
function wantsToCall(method: string): string | undefined {
  return method === "tools/call" ? "call" : undefined
}

async function open(rules: SiteRules = {}) {
  const site = await serveOAuth(rules)
  const browser = createBrowser()
  const upstream = fromMcpServer({ url: site.url, auth: browser.provider }, { era: "legacy", limits: { retryMs: 20 } })
  onTestFinished(() => upstream.close())
  upstream.actions.subscribe()
  return { site, upstream, browser }
}

/** Creates an application's provider whose person approves every page. */
function createBrowser() {
  const pages = new Subject<URLSearchParams>()
  const waiting: URLSearchParams[] = []
  pages.subscribe((callback) => waiting.push(callback))
  let client: { client_id: string } | undefined
  let tokens: StoredOAuthTokens | undefined
  let [verifier, states] = ["", 0]
  let discovered: OAuthDiscoveryState | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: "http://127.0.0.1:9/back",
    clientMetadata: {
      redirect_uris: ["http://127.0.0.1:9/back"],
      grant_types: ["authorization_code", "refresh_token"],
    },
    state() {
      states += 1
      return `state-${states}`
    },
    clientInformation: () => client,
    saveClientInformation(next) {
      client = next
    },
    tokens: () => tokens,
    saveTokens(next) {
      tokens = next
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(next) {
      verifier = next
    },
    discoveryState: () => discovered,
    saveDiscoveryState(next) {
      discovered = next
    },
    async redirectToAuthorization(page) {
      const response = await fetch(page, { redirect: "manual" })
      pages.next(new URL(response.headers.get("location") ?? "").searchParams)
    },
  }
  return {
    provider,
    tokens: () => tokens,
    /** Returns the query that the browser brings back from the next page. */
    async back(): Promise<URLSearchParams> {
      if (waiting.length === 0) await firstValueFrom(pages)
      const callback = waiting.shift()
      if (callback === undefined) throw new Error("no page was opened")
      return callback
    },
  }
}

function hasTool(upstream: Upstream) {
  return firstValueFrom(upstream.actions.pipe(filter((map) => "whoami" in map)))
}

function isIn(upstream: Upstream, state: string) {
  return firstValueFrom(upstream.status.pipe(filter((status) => status.state === state)))
}
