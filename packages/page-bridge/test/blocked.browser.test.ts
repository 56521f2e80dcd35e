import { openPlainBrowser, servePage } from "@x/browser-rig"
import type { Page } from "playwright-core"
import { afterEach, describe, expect, it } from "vitest"
import { acceptPages } from "../src/node.js"
import { listenOnLoopback } from "./raw-page.fixture.js"
import { connected } from "./support.js"

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Hosted {
  /** The person's answer to whether the site may reach this machine. If absent, the browser asks. */
  readonly permission?: "denied" | "granted"
  /** Whether the page counts as served over https. */
  readonly secure?: boolean
  /** Whether the browser treats its address as public. */
  readonly hosted?: boolean
}

/** Opens a site's page, and a host of pages on this machine. */
async function openHosted({ permission, secure = true, hosted = true }: Hosted) {
  const { server, port } = await listenOnLoopback()
  let tried = 0
  const given = { url: `ws://127.0.0.1:${port}/mcp/pages`, token: "ticket" }
  const page = await servePage(new URL("./board.fixture.ts", import.meta.url), { given })
  const { origin, port: pagePort } = new URL(page.origin.replace("localhost", "app.test"))
  const pages = acceptPages(server, {
    allowedOrigins: [origin],
    allowedHosts: [`127.0.0.1:${port}`],
    authenticate({ token }) {
      tried += 1
      return token === given.token ? { id: "person" } : undefined
    },
  })
  const { browser, close } = await openPlainBrowser([
    "--host-resolver-rules=MAP app.test 127.0.0.1",
    ...(hosted ? [`--ip-address-space-overrides=127.0.0.1:${pagePort}=public`] : []),
    ...(secure ? [`--unsafely-treat-insecure-origin-as-secure=${origin}`] : []),
  ])
  closers.push(
    () => page.close(),
    () => server.close(),
    () => pages.close(),
    close,
  )
  if (permission !== undefined) {
    const session = await browser.newBrowserCDPSession()
    await session.send("Browser.setPermission", {
      origin,
      permission: { name: "loopback-network" },
      setting: permission,
    })
  }
  const tab = await browser.contexts()[0]?.newPage()
  if (tab === undefined) throw new Error("a browser has a first context")
  await tab.goto(origin)
  return { tab, tried: () => tried }
}

const statuses = (tab: Page): Promise<readonly string[]> => tab.evaluate(() => Reflect.get(globalThis, "statuses"))

/** Waits until the page is blocked. If it never is, the error holds what the page was instead. */
async function blocked(tab: Page): Promise<void> {
  await expect.poll(async () => (await statuses(tab)).at(-1), { timeout: 60_000 }).toContain("blocked")
}

describe("a public page and a host on this machine", () => {
  it("connect if the person allowed it", async () => {
    const { tab, tried } = await openHosted({ permission: "granted" })

    await connected(tab)

    expect((await statuses(tab)).join()).not.toContain("asking")
    expect(tried()).toBe(1)
  })

  it("are kept apart if the person denied it, which the page reports without trying again", async () => {
    const { tab, tried } = await openHosted({ permission: "denied" })

    await blocked(tab)

    expect((await statuses(tab)).at(-1)).toContain("allow it in the site's settings")
    expect((await statuses(tab)).join()).not.toContain("waiting")
    expect(tried()).toBe(0)
  })

  it("are kept apart once the person is asked and declines", async () => {
    const { tab, tried } = await openHosted({})

    // A headless browser answers for the person, and always declines.
    await blocked(tab)

    expect((await statuses(tab)).join()).toContain("asking")
    expect(tried()).toBe(0)
  })

  it("are kept apart without https, which the page gives as the reason", async () => {
    const { tab, tried } = await openHosted({ secure: false })

    await blocked(tab)

    expect((await statuses(tab)).at(-1)).toContain("open the app over https")
    expect(tried()).toBe(0)
  })
})

it("a page on this machine connects under its own host name, without https", async () => {
  const { tab } = await openHosted({ secure: false, hosted: false })

  await connected(tab)

  expect((await statuses(tab)).join()).not.toContain("blocked")
})
