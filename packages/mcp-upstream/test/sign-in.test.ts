import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createGateway, createSecretsFile, createSignIns, type Gateway } from "../src/node.js"
import type { Upstream } from "../src/upstream.js"
import { serveOAuth } from "./oauth-site.js"

const NEVER_ABORTED = new AbortController().signal

describe("a server of a gateway that wants a sign-in", () => {
  it("waits for it, says how, and serves once somebody has signed in", async () => {
    const { site, signIns, server } = await open()
    const waiting = await isIn(server, "down")

    await signIns.signIn("docs", { url: site.url }, { open: visit, signal: NEVER_ABORTED })
    server.reconnect()
    await firstValueFrom(server.actions.pipe(filter((map) => "whoami" in map)))

    expect(waiting).toMatchObject({ reason: "it waits for a sign-in", remedy: "sign in to docs" })
    expect(await server.execute("whoami", {})).toMatchObject({ ok: true, content: [{ text: "ann" }] })
  })

  it("has one page opened, and none before somebody signs in", async () => {
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

/** As a browser does whose person agrees at once. */
function visit(page: URL): void {
  void fetch(page)
}

async function open() {
  const site = await serveOAuth()
  const folder = await mkdtemp(join(tmpdir(), "gateway-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, "servers.json.secrets")
  const secrets = createSecretsFile(file)
  const signIns = createSignIns(secrets, (name) => `sign in to ${name}`)
  const gateway: Gateway = createGateway({ mcpServers: { docs: { url: site.url } } }, { signIns })
  onTestFinished(() => gateway.close())
  const server = gateway.servers().get("docs") as Upstream // it has just been named
  server.actions.subscribe()
  return { site, signIns, server, secrets, file }
}

function isIn(server: Upstream, state: string) {
  return firstValueFrom(server.status.pipe(filter((status) => status.state === state)))
}
