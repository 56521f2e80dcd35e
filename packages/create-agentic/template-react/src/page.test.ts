import { existsSync } from "node:fs"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { type Browser, chromium } from "playwright-core"
import { createServer, type ViteDevServer } from "vite"
import { afterAll, beforeAll, expect, it } from "vitest"

// The page in a real browser under Vite, driven by a real client: what a model does is on the screen, and the other way round.

let server: ViteDevServer
let browser: Browser
beforeAll(async () => {
  server = await createServer({ server: { port: 0, host: "127.0.0.1" }, logLevel: "error" })
  await server.listen()
  browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

it("shows what a model does, and the model sees what a person does", async () => {
  const url = server.resolvedUrls?.local[0] ?? ""
  const page = await browser.newPage()
  await page.goto(url)
  await page.waitForSelector('html[data-connection="connected"]')
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
  await client.connect(new StreamableHTTPClientTransport(new URL("__mcp", url)))
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  await expect.poll(names, { timeout: 20_000 }).toContain("notes__add")
  expect(await names()).not.toContain("notes__remove")

  await client.callTool({ name: "notes__add", arguments: { text: "Buy tea" } })
  await page.getByText("Buy tea").waitFor()
  await page.getByLabel("A note").fill("Drink it")
  await page.getByRole("button").click()

  await expect.poll(names, { timeout: 20_000 }).toContain("notes__remove")
  const { content } = await client.callTool({ name: "get_state", arguments: { path: "notes" } })
  expect(JSON.stringify(content)).toContain("Drink it")
  await client.close()
})

/** Yours, or the one that `npx playwright-core install chromium` brings. */
function findChromium(): string {
  const places = [process.env["CHROME_PATH"], "/usr/bin/chromium", "/usr/bin/google-chrome", chromium.executablePath()]
  const found = places.find((place) => place !== undefined && existsSync(place))
  if (found === undefined)
    throw new Error('no Chromium: run "npx playwright-core install chromium", or set CHROME_PATH')
  return found
}
