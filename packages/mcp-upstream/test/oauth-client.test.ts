import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createGateway, createSecretsFile, createSignIns, type GatewayServer } from "../src/node.js"
import type { Upstream } from "../src/upstream.js"
import { type SiteRules, serveOAuth } from "./oauth-site.js"

const PAGE = { open: visit, signal: new AbortController().signal }

describe("the issuer in a gateway's file", () => {
  it("is where a person signs in, whatever the server names", async () => {
    const [site, chosen] = [await serveOAuth(), await serveOAuth()]
    const { signIns } = await createStore()

    await signIns.signIn("docs", { url: site.url, oauth: { issuer: new URL(chosen.url).origin } }, PAGE)

    expect([site.asked().length, chosen.asked().length]).toEqual([0, 1])
  })

  it("is by default the one that first accepts the client of the file, which is sent to no other", async () => {
    const other = await serveOAuth()
    let named: string | undefined
    const site = await serveOAuth({ names: () => named ?? new URL(site.url).origin })
    const { signIns, file } = await createStore()
    const docs = { url: site.url, oauth: { clientId: "desk", clientSecret: "s-secret" } }
    await signIns.signIn("docs", docs, PAGE)

    named = new URL(other.url).origin
    const signedIn = signIns.signIn("docs", docs, PAGE)

    await expect(signedIn).rejects.toMatchObject({
      code: "unauthorized",
      remedy: expect.stringContaining("oauth.issuer"),
    })
    expect(other.asked()).toEqual([])
    expect(await readFile(file, "utf8")).not.toContain("s-secret")
    await signIns.signIn("docs", { ...docs, oauth: { ...docs.oauth, issuer: named } }, PAGE)
    expect(other.asked()).toHaveLength(1)
  })
})

describe("a server whose client signs in for itself", () => {
  it("is served without a page, for the scopes that it names", async () => {
    const { site, server } = await openMachine()

    await hasTool(server)

    expect(await server.execute("whoami", {})).toMatchObject({ ok: true, content: [{ text: "ann" }] })
    expect(site.asked()).toEqual(["base"])
  })

  it("gets another token once for all calls that its former one fails", async () => {
    const { site, server } = await openMachine()
    await hasTool(server)

    site.expire()
    const replies = await Promise.all([1, 2, 3].map(() => server.execute("whoami", {})))

    expect(replies.map(({ ok }) => ok)).toEqual([true, true, true])
    expect(site.asked()).toHaveLength(2)
  })

  it("gives its secret to no authorization server but its issuer", async () => {
    const thief = await serveOAuth({ secrets: { robot: "s-1" } })
    const { site, server } = await openMachine({ names: () => new URL(thief.url).origin })

    await hasTool(server)

    expect([site.asked().length, thief.asked().length]).toEqual([1, 0])
  })

  it("stays down with the way to repair it if its issuer does not know it", async () => {
    const { server } = await openMachine({ secrets: {} })

    const down = await firstValueFrom(server.status.pipe(filter(({ state }) => state === "down")))

    expect(down).toMatchObject({
      reason: expect.stringContaining("its authorization server gives no token (invalid_client)"),
      remedy: expect.stringContaining("clientSecret"),
    })
    expect(JSON.stringify(down)).not.toContain("s-1")
  })

  it("says how to get the scopes that a call requires", async () => {
    const { server } = await openMachine({ wants: (method) => (method === "tools/call" ? "admin" : undefined) })
    await hasTool(server)

    expect(await server.execute("whoami", {})).toMatchObject({
      ok: false,
      recovery: "add them to oauth.scope in the file",
    })
  })

  it("has no page to open", async () => {
    const { signIns, docs } = await openMachine()

    await expect(signIns.signIn("docs", docs, PAGE)).rejects.toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining("needs no page"),
    })
  })
})

async function openMachine(rules: SiteRules = {}) {
  const site = await serveOAuth({ secrets: { robot: "s-1" }, ...rules })
  const { signIns } = await createStore()
  const issuer = new URL(site.url).origin
  const docs: GatewayServer = {
    url: site.url,
    oauth: { grant: "client_credentials", clientId: "robot", clientSecret: "s-1", issuer },
  }
  const gateway = createGateway({ mcpServers: { docs } }, { signIns })
  onTestFinished(() => gateway.close())
  const server = gateway.servers().get("docs") as Upstream // it was just listed
  server.actions.subscribe()
  return { site, signIns, server, docs }
}

async function createStore() {
  const folder = await mkdtemp(join(tmpdir(), "gateway-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, "secrets.json")
  return { file, signIns: createSignIns(createSecretsFile(file), (name) => `sign in to ${name}`) }
}

/** Visits a page like a browser whose person agrees at once. */
function visit(page: URL): void {
  void fetch(page)
}

function hasTool(server: Upstream) {
  return firstValueFrom(server.actions.pipe(filter((map) => "whoami" in map)))
}
