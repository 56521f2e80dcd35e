import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { openBrowser, servePage } from "@x/browser-rig"
import { expect, it } from "vitest"

const command = join(import.meta.dirname, "..", "dist", "bridge-command.js")

it("pairs a page with the host that started the bridge, over reloads, and no page without the link", async () => {
  const app = await servePage(new URL("./pairing.fixture.ts", import.meta.url))
  const browser = await openBrowser()
  const client = new Client({ name: "host", version: "0.0.0" }, { versionNegotiation: { mode: "auto" } })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [command, app.url], stderr: "ignore" }),
  )
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  const stranger = await browser.newPage()
  await stranger.goto(app.url)
  await stranger.waitForFunction("globalThis.state !== undefined")

  const { structuredContent } = await client.callTool({ name: "pairing_link", arguments: {} })
  const page = await browser.newPage()
  await page.goto(String(Object(structuredContent).link))
  await page.waitForFunction(`globalThis.state === "connected"`)
  await expect.poll(names, { timeout: 10_000 }).toContain("pages__board__add")
  expect(page.url()).toBe(app.url)
  await page.reload()
  await page.waitForFunction(`globalThis.state === "connected"`)
  // A call that arrives before the host has all of the new page is refused: that page may show something else.
  const called = async () => (await client.callTool({ name: "pages__board__add", arguments: {} })).isError

  await expect.poll(called, { timeout: 30_000 }).toBeUndefined()
  expect(await stranger.evaluate("globalThis.state")).toBe("unpaired")
  await client.close()
  await browser.close()
  await app.close()
})
