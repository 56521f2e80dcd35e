import { deepStrictEqual, ok, rejects } from "node:assert"
import { bundlePage, openBrowser } from "@x/browser-rig"
import { serveShop } from "@x/example-remote-connector"
import { createVerifier } from "./protected-board.mjs"
import { createHost } from "./sdk-client.mjs"

/** Signs a host in to drive Ann's page, and not Bob's. Ann sees the host and revokes it, until she signs it in again. */
export async function drivePage({ issuer, metadata, revoke }, era) {
  const page = new URL("../../../../examples/remote-connector/src/page.ts", import.meta.url)
  const shop = await serveShop({
    issuer,
    scope: "board:use",
    revoke,
    createVerifier: (resource) => createVerifier({ issuer, keys: new URL(metadata.jwks_uri), audience: resource.href }),
    script: await bundlePage(page),
  })
  const browser = await openBrowser()
  const host = createHost(shop.mcp, era)
  try {
    const [ann, bob] = [await openShop(browser, shop, "ann"), await openShop(browser, shop, "bob")]
    const stranger = await openShop(browser, shop)
    const client = await host.connect()

    await until(async () => (await client.listTools()).tools.some(({ name }) => name === "shop__add"))
    await client.callTool({ name: "shop__add", arguments: { item: "tea" } })
    await isSo(ann, "basket", "tea")
    deepStrictEqual(await bob.getAttribute("body", "data-basket"), "")
    ok((await stranger.getAttribute("body", "data-state")) !== "connected")

    deepStrictEqual(await seen(bob), [])
    const [connected] = await seen(ann)
    await ann.evaluate((id) => fetch(`/connections/${id}`, { method: "DELETE" }), connected.client)
    // The host still has a refresh token and tries it in vain, so Ann is asked again.
    ok(host.kept.tokens.refresh_token)
    const visits = host.visits.length
    await rejects(client.callTool({ name: "shop__add", arguments: { item: "more" } }))
    deepStrictEqual(await ann.getAttribute("body", "data-basket"), "tea")
    deepStrictEqual([await seen(ann), host.visits.length], [[], visits + 1])

    const again = await host.signInAgain()
    await again.callTool({ name: "shop__add", arguments: { item: "milk" } })
    await isSo(ann, "basket", "tea,milk")
    return `"${connected.client.slice(0, 8)}…" drove Ann's page until she ended it, and once she let it in anew`
  } finally {
    await host.close()
    await browser.close()
    await shop.close()
  }
}

async function openShop(browser, shop, user) {
  const context = await browser.newContext()
  const page = await context.newPage()
  if (user !== undefined) await context.request.post(`${shop.url}sign-in/${user}`)
  await page.goto(shop.url)
  await isSo(page, "state", user === undefined ? "refused" : "connected")
  return page
}

function isSo(page, name, value) {
  return page.waitForSelector(`body[data-${name}="${value}"]`, { state: "attached" })
}

function seen(page) {
  return page.evaluate(() => fetch("/connections").then((response) => response.json()))
}

async function until(holds) {
  const end = Date.now() + 15_000
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("it did not happen within 15 s")
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
