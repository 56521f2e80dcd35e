import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createGateway, createSecretsFile, createSignIns, type Gateway, signInFully } from "../src/node.js"
import type { Upstream } from "../src/upstream.js"
import { type SiteRules, serveOAuth } from "./oauth-site.js"

const NEVER_ABORTED = new AbortController().signal
const PAGE = { open: visit, signal: NEVER_ABORTED }

describe("a gateway's server that requires a sign-in", () => {
  it("waits for it, says how to sign in, and is served after the sign-in", async () => {
    const { site, signIns, server } = await open()
    const waiting = await isIn(server, "down")

    await signIns.signIn("docs", { url: site.url }, { open: visit, signal: NEVER_ABORTED })
    server.reconnect()
    await firstValueFrom(server.actions.pipe(filter((map) => "whoami" in map)))

    expect(waiting).toMatchObject({ reason: "it is waiting for a sign-in", remedy: "sign in to docs" })
    expect(await server.execute("whoami", {})).toMatchObject({ ok: true, content: [{ text: "ann" }] })
  })

  it("opens one page, and none before a person signs in", async () => {
    const { site, signIns, server } = await open()
    await isIn(server, "down")
    const before = site.clients()
    const pages: URL[] = []
    const see = (page: URL) => {
      pages.push(page)
      visit(page)
    }

    await signIns.signIn("docs", { url: site.url }, { open: see, signal: NEVER_ABORTED })

    expect([before, pages.length, site.clients()]).toEqual([0, 1, 1])
  })

  it("has its token refreshed without a page, once for many calls", async () => {
    const { site, signIns, server } = await open()
    await isIn(server, "down")
    await signIns.signIn("docs", { url: site.url }, { open: visit, signal: NEVER_ABORTED })
    server.reconnect()
    await firstValueFrom(server.actions.pipe(filter((map) => "whoami" in map)))

    site.expire()
    const replies = await Promise.all([1, 2, 3].map(() => server.execute("whoami", {})))

    expect(replies.map(({ ok }) => ok)).toEqual([true, true, true])
    expect(site.refreshed()).toBe(1)
  })

  it("is not given the token of another URL under its name", async () => {
    const { signIns, site, secrets } = await open()
    await signIns.signIn("docs", { url: site.url }, { open: visit, signal: NEVER_ABORTED })

    const other = createSignIns(secrets, () => "").provider("docs", { url: "http://127.0.0.1:9/mcp" })

    expect(await signIns.provider("docs", { url: site.url }).token()).toBe("token-1")
    expect(await other.token()).toBe(undefined)
  })

  it("takes no answer with another state", async () => {
    const { site, signIns, file } = await open()
    const giveUp = new AbortController()
    const forge = async (page: URL) => {
      const back = new URL(page.searchParams.get("redirect_uri") ?? "")
      const { status } = await fetch(`${back.href}?code=forged&state=wrong`)
      giveUp.abort()
      expect(status).toBe(404)
    }

    const signedIn = signIns.signIn("docs", { url: site.url }, { open: forge, signal: giveUp.signal })

    await expect(signedIn).rejects.toMatchObject({ code: "unauthorized" })
    expect(await readFile(file, "utf8")).not.toContain("access_token")
  })

  it("says that the sign-in was refused", async () => {
    const { site, signIns } = await open()
    const refuse = (page: URL) => {
      const { searchParams } = page
      void fetch(`${searchParams.get("redirect_uri")}?error=access_denied&state=${searchParams.get("state")}`)
    }

    const signedIn = signIns.signIn("docs", { url: site.url }, { open: refuse, signal: NEVER_ABORTED })

    await expect(signedIn).rejects.toThrow("the sign-in was refused (access_denied)")
  })
})

describe("a server of a gateway that wants more scopes than its first challenge named", () => {
  const ofCall = (method: string) => (method === "tools/call" ? "admin" : undefined)

  it("has a call say how to sign in for them, and a sign-in asks for all scopes so far", async () => {
    const { site, signIns, server } = await open({ wants: ofCall })
    await signIns.signIn("docs", { url: site.url }, PAGE)
    server.reconnect()
    await firstValueFrom(server.actions.pipe(filter((map) => "whoami" in map)))

    const before = await server.execute("whoami", {})
    const missing = await signIns.signIn("docs", { url: site.url }, PAGE)
    const after = await server.execute("whoami", {})

    expect(before).toMatchObject({ ok: false, recovery: "sign in to docs" })
    expect(before).toMatchObject({ message: expect.stringContaining('it requires the scopes "admin"') })
    expect(site.asked()).toEqual(["base", "base admin"])
    expect(missing).toEqual([])
    expect(after).toMatchObject({ ok: true })
  })

  it("has another page opened for those that it needs to connect", async () => {
    const { site, signIns } = await open({ wants: (method) => (method === "tools/list" ? "read" : undefined) })

    const { report, missing } = await signInFully(signIns, { name: "docs", server: { url: site.url } }, PAGE)

    expect(site.asked()).toEqual(["base", "base read"])
    expect(report).toMatchObject({ ok: true, tools: ["whoami"] })
    expect(missing).toEqual([])
  })

  it.each([
    { what: "three times for ever other scopes", wants: createWhim(), pages: 3 },
    { what: "twice for a scope that it does not grant", wants: () => "never", grants: withoutNever, pages: 2 },
  ])("has a page opened at most $what", async ({ pages, ...rules }) => {
    const { site, signIns } = await open(rules)

    const { report } = await signInFully(signIns, { name: "docs", server: { url: site.url } }, PAGE)

    expect(report.ok).toBe(false)
    expect(site.asked()).toHaveLength(pages)
  })

  it("is asked for the scopes of the file only, if the file names any", async () => {
    const { site, signIns, secrets } = await open({ wants: () => "admin" })
    const docs = { url: site.url, oauth: { scope: "base read" } }

    const { report } = await signInFully(signIns, { name: "docs", server: docs }, PAGE)

    expect(site.asked()).toEqual(["base read"])
    expect(report.message).toContain("add them to oauth.scope in the file, then sign in to docs")
    expect(createSignIns(secrets, () => "").wanted("docs", docs)).toEqual(["admin"])
  })
})

/** Requires another scope each time. */
function createWhim() {
  let count = 0
  return () => `scope-${count++}`
}

function withoutNever(asked: readonly string[]): readonly string[] {
  return asked.filter((scope) => scope !== "never")
}

/** Visits a page like a browser whose person agrees at once. */
function visit(page: URL): void {
  void fetch(page)
}

async function open(rules: SiteRules = {}) {
  const site = await serveOAuth(rules)
  const folder = await mkdtemp(join(tmpdir(), "gateway-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, "servers.json.secrets")
  const secrets = createSecretsFile(file)
  const signIns = createSignIns(secrets, (name) => `sign in to ${name}`)
  const gateway: Gateway = createGateway({ mcpServers: { docs: { url: site.url } } }, { signIns })
  onTestFinished(() => gateway.close())
  const server = gateway.servers().get("docs") as Upstream // it was just listed
  server.actions.subscribe()
  return { site, signIns, server, secrets, file }
}

function isIn(server: Upstream, state: string) {
  return firstValueFrom(server.status.pipe(filter((status) => status.state === state)))
}
