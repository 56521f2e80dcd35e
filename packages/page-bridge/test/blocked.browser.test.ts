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
  /** What the person answered to whether the site may reach this machine; asked where absent. */
  readonly permission?: "denied" | "granted"
  /** Whether the page counts as one of https. */
  readonly secure?: boolean
  /** Whether the browser takes its address for one of the internet. */
  readonly hosted?: boolean
}

/** The page of a site, and a host of pages on this machine. */
async function openHosted({ permission, secure = true, hosted = true }: Hosted) {
  const { server, port } = await listenOnLoopback()
  let tried = 0
  const given = { url: `ws://127.0.0.1:${port}/mcp/pages`, token: "ticket" }
  const page = await servePage(new URL("./board.fixture.ts", import.meta.url), { given })
  const { origin, port: pagePort } = new URL(page.origin.replace("localhost", "app.test"))
  const pages = acceptPages(server, {
    origins: [origin],
    hosts: [`127.0.0.1:${port}`],
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

const blocked = (tab: Page) =>
  tab.waitForFunction(() => Reflect.get(globalThis, "statuses")?.at(-1)?.includes("blocked"))

describe("a page of the web and a host on this machine", () => {
  it("connect where the person allowed it", async () => {
    const { tab, tried } = await openHosted({ permission: "granted" })

    await connected(tab)

    expect((await statuses(tab)).join()).not.toContain("asking")
    expect(tried()).toBe(1)
  })

  it("are kept apart where the person did not, which the page says and leaves at that", async () => {
    const { tab, tried } = await openHosted({ permission: "denied" })

    await blocked(tab)

    expect((await statuses(tab)).at(-1)).toContain("allow it in the settings of the site")
    expect((await statuses(tab)).join()).not.toContain("waiting")
    expect(tried()).toBe(0)
  })

  it("are kept apart once the person is asked and says no", async () => {
    const { tab, tried } = await openHosted({})

    // A browser without a window answers for the person, and never with yes.
    await blocked(tab)

    expect((await statuses(tab)).join()).toContain("asking")
    expect(tried()).toBe(0)
  })

  it("are kept apart without https, which the page names as the reason", async () => {
    const { tab, tried } = await openHosted({ secure: false })

    await blocked(tab)

    expect((await statuses(tab)).at(-1)).toContain("open the app by https")
    expect(tried()).toBe(0)
  })
})

it("a page of this machine connects under a name of its own, without https", async () => {
  const { tab } = await openHosted({ secure: false, hosted: false })

  await connected(tab)

  expect((await statuses(tab)).join()).not.toContain("blocked")
})
